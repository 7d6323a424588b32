import { randomInt } from 'node:crypto';

const HOW = [
  'calm',
  'bold',
  'keen',
  'warm',
  'wise',
  'swift',
  'quiet',
  'plain',
  'fair',
  'brave',
  'clear',
  'kind',
];
const WHO = [
  'otter',
  'heron',
  'lynx',
  'finch',
  'badger',
  'crane',
  'marten',
  'plover',
  'seal',
  'wren',
  'hare',
];

/** An id for who did not bring one: `run-calm-otter-3f9c0a`. Easy to read and to copy, and hardly made twice. */
export function madeUpId(prefix: string): string {
  const suffix = randomInt(2 ** 24)
    .toString(16)
    .padStart(6, '0');
  return `${prefix}-${pick(HOW)}-${pick(WHO)}-${suffix}`;
}

function pick(words: readonly string[]): string {
  return words[randomInt(words.length)] ?? '';
}
