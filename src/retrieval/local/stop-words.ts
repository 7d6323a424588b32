/**
 * Words that ask or join and say nothing of the subject: they are left out of a query, never out of the index.
 * Negations (no, not, without, 不, 无) stay in: "no leader" is not "leader".
 */

const ENGLISH = `
  a about after again all also am an and any are as at be because been before being between both but by
  can could did do does doing during each either else ever every few for from further get gets getting got
  had has have having he her here hers him his how however i if in into is it its itself just
  let lets like made make makes many may me might more most much must my of off on once one only or other our ours
  out over own please same shall she should so some such than that the their theirs them then there these they
  this those through to too under until up upon us use used uses using very via want was we were what when
  where whether which while who whom whose why will with within would you your yours
`;

export const englishStopWords: ReadonlySet<string> = new Set(ENGLISH.trim().split(/\s+/));

/** Questions and courtesies, longest first where one begins another. */
export const CHINESE_QUESTION =
  /请问|为什么|为何|怎么办|怎么样|怎么|怎样|如何|什么样|什么|哪些|哪个|哪里|哪儿|多少|多久|几个|能不能|会不会|是不是|有没有|可不可以|要不要|应不应该|可以|能否|是否|应该|一下|吗|呢|吧/g;

/** Characters that join; between two others they also end a word. */
export const chineseJoining: ReadonlySet<string> = new Set('的了和与或及在把被给对从到是有也都还就而让向由');

/** Pronouns, conjunctions, auxiliaries. */
export const chineseStopWords: ReadonlySet<string> = new Set(
  `我们 你们 他们 自己 这个 那个 这些 那些 这样 那样 这里 那里 需要 想要 使用 进行 通过 之后 之前 以后 以前 时候
  如果 但是 因为 所以 以及 并且 或者 还是 其中 一个 一种 一些 比如 例如 关于 对于 根据 已经 当前`.split(
    /\s+/,
  ),
);
