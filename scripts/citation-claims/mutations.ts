/** Honest ways to keep a sentence true, and to make it false. Each answers null where it does not apply. */

export interface Making {
  readonly sentence: string;
  /** Other sentences of the same passage. */
  readonly near: readonly string[];
  readonly language: 'en' | 'zh';
  /** All that the claim will be held against. */
  readonly evidence: string;
  /** Names of other documents. */
  readonly names: readonly string[];
  /** A number in [0, 1), the next of a seeded series. */
  readonly random: () => number;
}

export type Mutation = (making: Making) => string | null;

function pick<T>(list: readonly T[], random: () => number): T | undefined {
  return list[Math.floor(random() * list.length)];
}

/** Replaces the first match of the first pair that applies; null where none does. */
function firstOf(text: string, pairs: readonly (readonly [RegExp, string])[]): string | null {
  for (const [from, to] of pairs) {
    const changed = text.replace(from, to);
    if (changed !== text) return changed;
  }
  return null;
}

/** Replaces the match of every pair that applies. */
function allOf(text: string, pairs: readonly (readonly [RegExp, string])[]): string | null {
  const changed = pairs.reduce((said, [from, to]) => said.replace(from, to), text);
  return changed === text ? null : changed;
}

const SYNONYMS: Readonly<Record<'en' | 'zh', readonly (readonly [RegExp, string])[]>> = {
  en: [
    [/\bcheck\b/i, 'verify'],
    [/\bmost often\b/i, 'usually'],
    [/\bbecause\b/i, 'since'],
    [/\bsmall\b/i, 'little'],
    [/\bshow(s?)\b/i, 'reveal$1'],
    [/\bstart(s?)\b/i, 'begin$1'],
    [/\bend(s?)\b/i, 'finish$1'],
    [/\bwrong\b/i, 'incorrect'],
    [/\bquickly\b/i, 'fast'],
    [/\bhappen(s?)\b/i, 'occur$1'],
    [/\bin order to\b/i, 'to'],
    [/\bcannot\b/i, 'is unable to'],
    [/\bdue to\b/i, 'owing to'],
    [/\bseveral\b/i, 'a number of'],
    [/\blarge\b/i, 'big'],
    [/\breason\b/i, 'cause'],
    [/\bincrease\b/i, 'raise'],
    [/\buse\b/i, 'employ'],
  ],
  zh: [
    [/因此/, '所以'],
    [/检查/, '核对'],
    [/使用/, '采用'],
    [/需要/, '须'],
    [/如果/, '若'],
    [/但是?/, '不过'],
    [/只能/, '只可以'],
    [/查看/, '看一下'],
    [/目前/, '当前'],
    [/适合/, '适用于'],
    [/通常/, '一般'],
    [/或者/, '或'],
    [/(?<![并也都就还])不会/, '并不会'],
    [/(?<![并也都就还])没有(?!必要)/, '并没有'],
    [/能够/, '可以'],
    [/以及/, '和'],
    [/例如/, '比如'],
    [/避免/, '防止'],
  ],
};

/** The sentence where the evidence has it word for word, but for white space. */
export const wordForWord: Mutation = ({ sentence, evidence }) =>
  evidence.replace(/\s+/g, ' ').includes(sentence) ? sentence : null;

/** Words replaced by others that mean the same. */
export const synonyms: Mutation = ({ sentence, language }) => {
  const said = allOf(sentence, SYNONYMS[language]);
  return said && said.charAt(0).toUpperCase() + said.slice(1);
};

/** A negation in other words. */
export const negationReworded: Mutation = ({ sentence, language }) =>
  language === 'zh'
    ? firstOf(sentence, [
        [/(?<!不)不能(?!不)/, '无法'],
        [/无法/, '不能'],
        [/不需要/, '无须'],
        [/不要/, '请勿'],
        [/没有(?!必要)/, '缺少'],
        [/(?<![并也都就还])不是(?!否)/, '并非'],
        [/不支持/, '没有支持'],
      ])
    : firstOf(sentence, [
        [/\bcannot\b/, 'is unable to'],
        [/\bcan not\b/, 'cannot'],
        [/\b(?:is|are) not able to\b/, 'cannot'],
        [/\bdo not\b/, "don't"],
        [/\bdoes not\b/, 'fails to'],
        [/\bis not\b/, "isn't"],
        [/\bare not\b/, "aren't"],
        [/\bwithout\b/, 'with no'],
        [/\bno longer\b/, 'not any more'],
      ]);

/** One thing of those that a sentence says, where nothing hangs on the others. */
export const clause: Mutation = ({ sentence, language, random }) => {
  if (OPEN.test(sentence) || /\b(?:because|since|but|though)\b|但|却|因为|所以/i.test(sentence)) return null;
  const parts = sentence.slice(0, -1).split(language === 'zh' ? /[，；]/ : /[,;] /);
  const whole = parts.filter((part) => (language === 'zh' ? part.length >= 12 : part.split(' ').length >= 6));
  const part = parts.length > 1 ? pick(whole, random) : undefined;
  return part === undefined
    ? null
    : `${part.charAt(0).toUpperCase()}${part.slice(1)}${language === 'zh' ? '。' : '.'}`;
};

/** Two sentences of one passage made one. */
export const joined: Mutation = ({ sentence, near, language, random }) => {
  const other = pick(near, random);
  if (other === undefined) return null;
  return language === 'zh'
    ? `${sentence.slice(0, -1)}；另外，${other}`
    : `${sentence.slice(0, -1)}; moreover, ${other}`;
};

/** In a question or a condition a negation changes little. */
const OPEN = /\b(?:whether|if|when|unless|until|only)\b|是否|如果|假设|假如|除非|只有|不仅|而不是/i;

/** The clause that says when, moved to the other end. */
export const reordered: Mutation = ({ sentence, language }) => {
  if (language === 'zh') {
    const found = /^(如果|若|当(?!前))([^，。]{3,40})，(?:就|则|那么)?([^，。；]{4,60})。$/.exec(sentence);
    return found && `${found[3]}，前提是${found[2]}。`;
  }
  const found = /^(If|When|Because|Since|After|Before|As|With|In) ([^,]{8,80}), ([^,;:]{12,160})\.$/.exec(
    sentence,
  );
  if (!found) return null;
  const [, conjunction = '', first = '', second = ''] = found;
  return `${second.charAt(0).toUpperCase()}${second.slice(1)} ${conjunction.toLowerCase()} ${first}.`;
};

/** A number written another way. */
export const numberRewritten: Mutation = ({ sentence }) =>
  firstOf(sentence, [
    [/\b60 seconds\b/, '1 minute'],
    [/\b(\d+) seconds\b/, '$1s'],
    [/\b(\d+) minutes\b/, '$1 min'],
    [/\b1,?000 ?ms\b/, '1 second'],
    [/(\d) 秒/, '$1s'],
    [/(\d) 分钟/, '$1 min'],
    [/(\d)%/, '$1 percent'],
    [/(\d) GB\b/, '$1GB'],
    [/\b(\d)(\d{3})\b(?!年|-)/, '$1,$2'],
    [/\bone minute\b/, '1 minute'],
    [/\b30 days\b/, 'thirty days'],
  ]);

/** Said less surely than the source says it. */
export const hedged: Mutation = ({ sentence, language }) => {
  if (language === 'zh')
    return /可能|也许/.test(sentence)
      ? null
      : firstOf(sentence, [[/(会(?=[被把先在自直返写读按])|导致|说明(?=[^书：]))/, '可能$1']]);
  return firstOf(sentence, [
    [/\b(?:will|can) (?=[a-z])/, 'may '],
    [/\bis caused by\b/, 'may be caused by'],
  ]);
};

const NUMBER = /(?<![\w.#/-])\d+(?:[.,]\d+)?(?![\w/-]*[A-Za-z]{3,}\d|[.\d])/g;

/** One number made another one that the evidence does not have. */
export const numberChanged: Mutation = ({ sentence, evidence, random }) => {
  const number = pick(sentence.match(NUMBER) ?? [], random);
  if (number === undefined) return null;
  const value = Number(number.replace(',', ''));
  const factors = [2, 3, 5, 10, 0.5].map((factor) => String(Math.ceil(value * factor) + (value < 2 ? 3 : 1)));
  const other = factors.find((each) => !evidence.includes(each));
  return other === undefined ? null : sentence.replace(number, other);
};

/** The number stays, what it counts changes. */
export const unitChanged: Mutation = ({ sentence }) =>
  firstOf(sentence, [
    [/(\d) ?ms\b/, '$1 s'],
    [/(\d) seconds?\b/, '$1 minutes'],
    [/(\d) minutes?\b/, '$1 hours'],
    [/(\d) days?\b/, '$1 weeks'],
    [/(\d) ?毫秒/, '$1 秒'],
    [/(\d) ?秒/, '$1 分钟'],
    [/(\d) ?分钟/, '$1 小时'],
    [/(\d) ?天/, '$1 周'],
    [/(\d) ?MB\b/, '$1 GB'],
    [/(\d) ?GB\b/, '$1 TB'],
    [/(\d) ?%/, '$1'],
  ]);

/** What the sentence says is denied, or what it denies is said. */
export const negationFlipped: Mutation = ({ sentence, language }) =>
  OPEN.test(sentence)
    ? null
    : language === 'zh'
      ? firstOf(sentence, [
          [/(?<!是否|能)不会(?!被?忽略)/, '会'],
          [/不能(?!不)/, '能'],
          [/不支持/, '支持'],
          [/不需要/, '需要'],
          [/没有(?!必要)/, '有'],
          [/不要/, '要'],
          [/不是/, '就是'],
          [/(?<![不才才会可能])会(?=[被把先在自直返写读按])/, '不会'],
          [/(?<!不)支持(?=[^者])/, '不支持'],
          [/(?<![不无])需要/, '不需要'],
          [/(?<![不才])可以/, '不可以'],
          [/(?<![不就也还])是(?!否)/, '不是'],
        ])
      : firstOf(sentence, [
          [/\bcannot\b/, 'can'],
          [/\b(do|does|did|is|are|was|were|will|should|must|can|may) not\b(?! only)/, '$1'],
          [/\b(is|are|was|were|will|should|must|can)n['’]t\b/, '$1'],
          [/\bno longer\b/, 'still'],
          [/\bwithout\b/, 'with'],
          [/\b(is|are|was|were|will|should|must|can) (?!not|no\b)/, '$1 not '],
        ]);

/** A name of the sentence replaced by one of another document. */
export const entitySwapped: Mutation = ({ sentence, evidence, names, random }) => {
  const own = namesOf(sentence.slice(1));
  const name = pick(own, random);
  const other = pick(
    names.filter((each) => !evidence.toLowerCase().includes(each.toLowerCase())),
    random,
  );
  return name === undefined || other === undefined ? null : sentence.replaceAll(name, other);
};

/** Latin words with a capital after the first one, or in Chinese text. */
export function namesOf(sentence: string): string[] {
  const words = sentence.match(/(?<![A-Za-z0-9_.-])[A-Z][A-Za-z]{3,}(?![A-Za-z0-9_.-])/g) ?? [];
  return words.filter(
    (word) =>
      /[a-z]/.test(word) &&
      !/^(?:This|That|These|When|Then|With|There|They|Also|Check|Note|Some|Each|From|Your)$/.test(word),
  );
}

/** A maybe made a must. */
export const certaintyRaised: Mutation = ({ sentence, language }) =>
  OPEN.test(sentence)
    ? null
    : language === 'zh'
      ? firstOf(sentence, [
          [/很可能|可能会|可能(?!性)|也许/, '必然'],
          [/通常|一般(?=会|是|用|在)|往往/, '总是'],
          [/(?<!一)部分(?!组成)|有些|某些|多数/, '所有'],
          [/原因(?:可能)?是/, '唯一的原因是'],
          [/(?<![不可])会(?=[被把先在自直返写读按])/, '一定会'],
        ])
      : firstOf(sentence, [
          [/\b(?:may|might|could|can)\b(?! not)/, 'always'],
          [/\b(?:most often|usually|often|sometimes|typically|generally|mostly)\b/, 'always'],
          [/\b(?:some|most|many|several)\b/i, 'all'],
          [/\bis probably\b/, 'is certainly'],
          [/^(?=The |This |A |An |It |There )/, 'It is proven that '],
        ]);

/** One content word of a quote made another. */
export const quoteAltered: Mutation = ({ sentence, language, random }) => {
  if (language === 'zh') {
    const pairs = [
      ['可以', '必须'],
      ['需要', '应当'],
      ['默认', '固定'],
      ['直接', '间接'],
      ['使用', '配置'],
      ['返回', '写入'],
      ['不会', '将会'],
      ['检索', '存储'],
      ['模型', '网关'],
    ] as const;
    const found = pairs.find(([from]) => sentence.includes(from));
    return found ? sentence.replace(found[0], found[1]) : null;
  }
  const words = sentence.match(/\b[a-z]{5,}\b/g) ?? [];
  const word = pick(words, random);
  const other = pick(
    ['cluster', 'latency', 'storage', 'operator', 'container', 'interval'].filter((each) => each !== word),
    random,
  );
  return word === undefined || other === undefined
    ? null
    : sentence.replace(new RegExp(`\\b${word}\\b`), other);
};
