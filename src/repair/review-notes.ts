/**
 * What review says of a finding, in Chinese. A record keeps its reason in English, as people read it in the trail; a
 * prompt in Chinese says the same in Chinese. The words of the draft and of the evidence stay as they are.
 */

type Say = (first: string, second: string) => string;

const STRENGTH: Readonly<Record<string, string>> = {
  'says only "may"': '只说“可能”',
  'only suggests': '只是提示',
  'shows, but does not prove': '有所表明，但没有证明',
};

const NOTES: readonly (readonly [RegExp, Say])[] = [
  [
    /^(".*") is in no evidence; the closest there is (".*")$/su,
    (said, closest) => `${said} 不在任何证据中；证据中最接近的是 ${closest}`,
  ],
  [
    /^(".*")(?: \(and \d+ more\))? is in no evidence(?:; too small to reject)?$/su,
    (said) => `${said} 不在任何证据中`,
  ],
  [
    /^(".*") is in no evidence; it may be another word for something that is$/su,
    (said) => `${said} 不在任何证据中，可能是证据中某个事物的别称`,
  ],
  [/^(".*") says the contrary of (".*")$/su, (said, shown) => `${said} 与证据相反：${shown}`],
  [/^fewer than (\d+) content words to compare$/u, (count) => `可供对照的实词不足 ${count} 个`],
  [/^text and evidence have no script in common$/u, () => '这段文字与证据使用的文字不同，无法对照'],
  [
    /^the evidence has (\S+) of its content words, fewer than (\S+)$/u,
    (share, least) => `证据只含有其中 ${share} 的实词，低于 ${least}`,
  ],
  [
    /^(".*") where the evidence (says only "may"|only suggests|shows, but does not prove)$/su,
    (said, strength) => `这里写的是 ${said}，而证据${STRENGTH[strength] ?? strength}`,
  ],
  [/^the evidence has nothing like (".*")$/su, (said) => `证据中没有与 ${said} 相当的说法`],
  [/^(".*") without any PRECISE evidence under it$/su, (said) => `${said} 没有 PRECISE 级别的证据支持`],
  [/^the analysis names no document and quotes none$/u, () => '这项分析没有写出文档，也没有引文'],
  [
    /^says that nothing was found, but the view leaves something out$/u,
    () => '这里说没有找到，但检索结果有省略',
  ],
  [/^too many clauses to compare with the evidence$/u, () => '分句过多，无法与证据逐一对照'],
];

/** The note in Chinese; as it is where it was written by a judge, or by rules that this table does not know. */
export function reviewNoteZh(note: string): string {
  for (const [pattern, say] of NOTES) {
    const [found, first = '', second = ''] = pattern.exec(note) ?? [];
    if (found !== undefined) return say(first, second);
  }
  return note;
}
