/** Words that say nothing about the matter; a text is not compared by them. */
const ENGLISH = `a an the and or but nor so if then else than as at by for from in into of off on onto out over to
  up with without within about after before between during through under until upon via per be is are was were been
  being am do does did done have has had having can could may might must shall should will would it its this that
  these those there here they them their he she his her we us our you your i me my who whom which what when where
  why how not no yes all any each every some such same other another both either neither few more most many much
  own too very just only also again once never always because while against further now s t don d ll m re ve`;

/** Characters that almost never stand inside a technical term; a run of characters is cut at them. */
const CHINESE_CHARACTERS = '的了是在和与或及也都就被把其这那吗呢吧着之而但若所很我你他她它们并已';

/** Connectives of more than one character. */
const CHINESE_WORDS =
  '因为|因此|由于|如果|可以|可能|需要|应该|应当|一个|没有|以及|通过|进行|还有|那么|并且|对于|关于|根据|一定|必然';

export const ENGLISH_STOP_WORDS: ReadonlySet<string> = new Set(ENGLISH.split(/\s+/));

export const CHINESE_STOPS = new RegExp(`${CHINESE_WORDS}|[${CHINESE_CHARACTERS}]`, 'g');
