import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { runCli } from '../../src/cli/program.js';
import { nextCommands } from '../../src/cli/render/demo-next.js';
import { commandName, examplesFolder } from '../../src/demo/examples-folder.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';

/** The commands that the demo prints, typed as they are printed, one after the other in one data folder. */
describe('what the demo tells to try next', () => {
  const printed = nextCommands({
    command: commandName(process.cwd()),
    examples: examplesFolder(),
    cwd: process.cwd(),
    kept: null,
  }).flatMap((next) => next.commands);

  afterAll(removeTempFolders);

  test('is called by a script that the checkout has', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(scripts['proofline']).toContain('src/cli/main.js');
    expect(printed.every((command) => command.startsWith('npm run -s proofline -- '))).toBe(true);
  });

  test('is called as a file from another folder', () => {
    expect(commandName(join(process.cwd(), 'test'))).toBe('node ../dist/src/cli/main.js');
  });

  test('works as it is printed', async () => {
    const data = tempFolder();
    const ran: { words: string; code: number; out: string; err: string }[] = [];
    for (const command of printed) {
      const words = wordsOf(command).slice('npm run -s proofline --'.split(' ').length);
      const [out, err]: [string[], string[]] = [[], []];
      const code = await runCli(words, {
        out: (text) => void out.push(text),
        err: (text) => void err.push(text),
        stdin: () => Promise.resolve(''),
        interactive: false,
        env: { PROOFLINE_DATA: data },
        signal: new AbortController().signal,
        onHangUp: () => () => undefined,
      });
      ran.push({ words: words[0] ?? '', code, out: out.join(''), err: err.join('') });
    }
    // The last one checks the forged draft, and the answer is no.
    expect(ran.map(({ words, code, err }) => [words, code, err])).toEqual([
      ['index', 0, ''],
      ['lookup', 0, ''],
      ['submit', 0, ''],
      ['trail', 0, ''],
      ['check', 1, ''],
    ]);
    expect(ran[3]?.out).toContain('VERIFIED');
    expect(ran[4]?.out).toContain('TOOL_CALL_UNKNOWN');
  });
});

/** As a shell splits: words, and what stands in double quotes. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
}
