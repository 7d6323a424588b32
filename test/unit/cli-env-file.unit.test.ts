import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { withEnvFile } from '../../src/cli/env-file.js';
import type { CliIo } from '../../src/cli/io.js';
import { refusal } from '../support/refusal.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';

afterEach(removeTempFolders);

const io = { env: { PROOFLINE_PARTITIONS: '3' } } as unknown as CliIo;

function fileOf(text: string): string {
  const file = join(tempFolder(), 'line.env');
  writeFileSync(file, text);
  return file;
}

describe('--env-file', () => {
  it('adds what the file sets, and the environment wins', () => {
    const file = fileOf('# the line\nPROOFLINE_DATA=./here\nPROOFLINE_PARTITIONS=7\n');
    for (const argv of [
      ['--env-file', file, 'topics'],
      ['topics', `--env-file=${file}`],
    ])
      expect(withEnvFile(argv, io).env).toEqual({ PROOFLINE_DATA: './here', PROOFLINE_PARTITIONS: '3' });
  });

  it('changes nothing where it is not given, or stands behind the end of the options', () => {
    expect(withEnvFile(['topics'], io)).toBe(io);
    expect(withEnvFile(['lookup', '--', '--env-file', 'x'], io)).toBe(io);
  });

  it('says which file cannot be read', () => {
    const missing = join(tempFolder(), 'none.env');
    expect(() => withEnvFile(['--env-file', missing], io)).toThrow(refusal('PL_INPUT_INVALID', missing));
  });
});
