import { bindAnswer } from '../spans/bind-answer.js';
import { cutClaims } from '../spans/cut-claims.js';
import { utf8Length } from '../text/text.js';
import { operationsPerSecond, type Figure } from './measure.js';

/** Answers cut into claims, and their markers bound. Baseline: a pattern that looks for brackets in the same text. */
export function spanFigures(ms: number): Figure[] {
  const answers = Array.from({ length: 20 }, (_, i) => sampleAnswer(i));
  const bytes = answers.reduce((sum, answer) => sum + utf8Length(answer), 0) / answers.length;
  const megabytes = (work: (answer: string) => unknown, time = ms): number =>
    (operationsPerSecond(time, (i) => work(answers[i % answers.length] ?? '')) * bytes) / 1e6;
  const citations = Array.from({ length: 9 }, (_, i) => ({
    citationId: `S${i + 1}`,
    snippet: `passage ${i}`,
  }));
  const baseline = {
    name: 'pattern',
    value: megabytes((answer) => answer.match(/\[\d+\]|【\d+】/g), ms / 4),
  };
  return [
    { name: 'claims and markers, answers of 8 kB', value: megabytes(claimCount), unit: 'MB/s', baseline },
    {
      name: 'the same, bound to 9 sources',
      value: megabytes((answer) => bindAnswer(answer, { citations })),
      unit: 'MB/s',
      baseline,
    },
  ];
}

function claimCount(answer: string): number {
  let count = 0;
  cutClaims(answer, () => {
    count += 1;
    return true;
  });
  return count;
}

const SENTENCES = [
  'The gateway answers 504 when the upstream did not answer before the read timeout of 60 seconds ended [1]. ',
  'Note the release and the configuration that were live, e.g. the version v1.2.3 of the upstream, first [2, 3].\n',
  '网关超时时先检查上游配置是否正确，再看连接池是否已满，然后重启【4】。',
  'It does not restart by itself: keep the thread dump with the report, since it cannot be taken again.[S5] ',
];

/** English and Chinese, a marker a sentence; no two are equal. */
function sampleAnswer(seed: number): string {
  let text = `Answer ${seed}. `;
  for (let i = seed; text.length < 7000; i++) text += SENTENCES[i % SENTENCES.length] ?? '';
  return text;
}
