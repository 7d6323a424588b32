import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { cutChunks } from '../../src/retrieval/local/chunk.js';
import { parserOf } from '../../src/retrieval/local/parsers.js';

/** What claims are made from: the passages of real documents, cut as the local index cuts them. */

export interface Passage {
  readonly documentId: string;
  readonly excerpt: string;
  readonly title: string;
}

export interface SourceText {
  /** The folder that it came with, and its path in there. */
  readonly path: string;
  readonly language: 'en' | 'zh';
  readonly passages: readonly Passage[];
}

/** Every document under the folders, in the order of their paths. */
export function readDocuments(folders: readonly string[]): SourceText[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md'))
      .sort()
      .map((path) => readDocument(folder, path)),
  );
}

function readDocument(folder: string, path: string): SourceText {
  const file = join(folder, path);
  const text = readFileSync(file, 'utf8');
  const document = parserOf(path)?.(text, basename(path, '.md'));
  const id = relative('.', file).replaceAll(/^.*documents\/|^examples\/docs\//g, '');
  const chunks = document ? cutChunks(document) : [];
  const passages = chunks.map(({ content }, i) => ({
    documentId: `${id}#chunk-${i}`,
    excerpt: content,
    title: document?.title ?? '',
  }));
  return { path: id, language: isChinese(text) ? 'zh' : 'en', passages };
}

function isChinese(text: string): boolean {
  return (text.match(/\p{Script=Han}/gu)?.length ?? 0) > text.length / 10;
}

/** Sentences of prose, with line breaks and markup of emphasis and code taken away. */
export function sentencesOf({ excerpt }: Passage, language: 'en' | 'zh'): string[] {
  const prose = excerpt
    .replace(/```[\s\S]*?(?:```|$)/g, '\n\n')
    .split('\n')
    .map((line) => (/^\s*(?:#|\||>|:::|<|\$)/.test(line) ? '' : line.replace(/^\s*(?:[-*+]|\d+\.)\s+/, '\n')))
    .join('\n');
  const paragraphs = prose
    .split(/\n\s*\n/)
    .map((part) => part.replace(/\s*\n\s*/g, language === 'zh' ? '' : ' '));
  const end = language === 'zh' ? /[^。！？]+[。]/g : /[^.!?]+(?:\.(?!\s|$)[^.!?]*)*\.(?=\s|$)/g;
  return paragraphs
    .flatMap((paragraph) => paragraph.match(end) ?? [])
    .map((sentence) => sentence.replace(/[*`]/g, '').trim())
    .filter((sentence) => isPlain(sentence, language));
}

/** No links, no leftovers of markup, of a length that a claim has. */
function isPlain(sentence: string, language: 'en' | 'zh'): boolean {
  if (/[[\]<>{}|\\]|https?:|^\W*\d*$|[:：]$/.test(sentence)) return false;
  if (language === 'zh')
    return sentence.length >= 14 && sentence.length <= 120 && /\p{Script=Han}{6}/u.test(sentence);
  const words = sentence.split(' ').length;
  return words >= 6 && words <= 40 && /^[A-Z]/.test(sentence);
}
