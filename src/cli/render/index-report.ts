import type { IndexAnswer } from '../../line/line-client.js';
import type { IndexProgress } from '../../retrieval/local/index-folder.js';
import type { LeftOutReason } from '../../retrieval/local/left-out.js';
import { counted, LABEL, WIDTH } from './advice.js';
import { labelled, type Paint } from './page.js';
import { safeCut, safeText } from './safe-text.js';

/** What an indexing did, for a person: how much there is, what was left out and why, and how well it is titled. */
export function indexLines(answer: IndexAnswer, paint: Paint): readonly string[] {
  const { folder, documents, chunks, indexed, unchanged, removed, milliseconds } = answer;
  const did = `${indexed} new or changed, ${unchanged} as before, ${removed} gone`;
  const holds = `${counted(documents, 'document')}, ${counted(chunks, 'passage')}`;
  const time = `${(milliseconds / 1000).toFixed(1)} s`;
  return [
    `${'indexed'.padEnd(LABEL)}${safeText(folder)}: ${paint('strong', holds)}  (${did}; ${time})`,
    ...leftOutLines(answer),
    ...shareLines(answer),
  ];
}

const REASONS: Readonly<Record<LeftOutReason, string>> = {
  extension: 'of a kind that is not read (.md, .mdx, .txt and .html are)',
  hidden: 'hidden, or packages of others',
  too_large: 'too large',
  binary: 'no text',
  not_utf8: 'not in UTF-8',
  unreadable: 'not readable by you',
  not_a_file: 'no plain file',
  link_outside: 'a link to outside of the folder',
  link_broken: 'a broken link',
  link_repeats: 'a link to what is indexed already',
  empty: 'empty',
  too_many_files: 'over the number of files that an index takes',
  too_deep: 'nested too deeply',
};

function leftOutLines({ left_out: { counts, examples } }: IndexAnswer): readonly string[] {
  const reasons = Object.entries(counts) as [LeftOutReason, number][];
  return reasons.flatMap(([reason, count], i) => {
    const paths = (examples[reason] ?? []).map((path) => safeCut(path, 80));
    const more = count > paths.length ? ', …' : '';
    const label = (i === 0 ? 'left out' : '').padEnd(LABEL);
    return labelled(label, `${count} ${REASONS[reason]}: ${paths.join(', ')}${more}`, WIDTH);
  });
}

function shareLines({
  chunks,
  without_title: untitled,
  without_section: unsectioned,
}: IndexAnswer): string[] {
  if (chunks === 0 || (untitled === 0 && unsectioned === 0)) return [];
  const told = `${percent(untitled)} of the passages have no title but their file's name, ${percent(unsectioned)} stand under no heading`;
  return [...labelled('note'.padEnd(LABEL), told, WIDTH)];
}

export function percent(share: number): string {
  const rounded = Math.round(share * 100);
  return `${share > 0 && rounded === 0 ? 'under 1' : rounded} %`;
}

/** One line that is written over and over: `12 of 345 files  guides/setup.md`. */
export function progressLine({ filesDone, filesTotal, currentFile }: IndexProgress): string {
  return `\r\u001b[2K${filesDone} of ${filesTotal} files  ${safeCut(currentFile ?? '', 70)}`;
}

/** Takes the line of progress away. */
export const PROGRESS_END = '\r\u001b[2K';
