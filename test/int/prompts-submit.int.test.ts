import { afterEach, describe, expect, it } from 'vitest';
import { promptRefOf, systemPrompt } from '../../src/prompts/kit.js';
import { cli } from '../support/cli-run.js';
import { docsFolder } from '../support/docs-folder.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';

afterEach(removeTempFolders);

const REPORT = '{"analysis":[],"conclusion":null,"action_plan":[],"limitations":["Nothing was looked at."]}';
const OWN = `my-prompt@7:${'0'.repeat(64)}`;

describe('proofline submit --prompt', () => {
  it.each([
    ['proofline.system.zh', promptRefOf(systemPrompt('zh'))],
    [OWN, { id: 'my-prompt', version: '7', sha256: '0'.repeat(64) }],
    [undefined, null],
  ])('%s: the draft, its verdict and what is published name the prompt', async (given, expected) => {
    const data = tempFolder();
    expect((await cli(['index', docsFolder(data), '--data', data])).code).toBe(0);
    const option = given === undefined ? [] : ['--prompt', given];
    const submitted = await cli(['submit', '-', '--run', 'r1', '--data', data, ...option], { stdin: REPORT });
    expect(submitted.code).toBe(0);
    for (const topic of ['draft-submitted.v1', 'verdict.v1', 'verified.v1']) {
      const { out } = await cli(['tail', topic, '--data', data, '--json']);
      expect(JSON.parse(out)).toMatchObject({ value: { prompt: expected } });
    }
  });

  it('refuses a prompt that it cannot name', async () => {
    for (const prompt of ['proofline.system.de', 'mine', 'mine@1:abc', ''])
      expect(await cli(['submit', '-', '--run', 'r1', '--prompt', prompt], { stdin: REPORT })).toMatchObject({
        code: 2,
      });
  });
});
