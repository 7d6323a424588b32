import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openKeyring } from '../../src/ledger/keyring.js';
import { signEntry } from '../../src/ledger/signing.js';
import { partitionOf } from '../../src/contracts/partition.js';
import { hitOf } from '../support/evidence.js';
import { closeLines, openTestLine, type TestLine } from '../support/line.js';
import { tamper } from '../support/line-drafts.js';
import { hits, scripted } from '../support/line-search.js';
import { readCli, readCliJson } from '../support/read-cli.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';

afterEach(async () => {
  await closeLines();
  removeTempFolders();
});

async function shownLine(): Promise<TestLine> {
  const found = [hitOf(), hitOf({ evidenceKey: 'gw#chunk-2', originalRank: 2, content: 'x'.repeat(1300) })];
  const dropped = hitOf({ evidenceKey: 'gw#chunk-3', originalRank: 3, content: 'third' });
  const line = openTestLine({ search: scripted(() => hits([...found, dropped])) });
  await line.ask({});
  await line.ask({ toolCallId: 'call-2' });
  await line.idle();
  return line;
}

interface Entry {
  readonly state: string;
  readonly signature: string;
  readonly problems: readonly string[];
  readonly value: { readonly agent_view: string; readonly blocks: object[] } | null;
}

describe('ledger get', () => {
  test('given an entry, then its blocks, what was dropped and cut are shown, and its signature is checked', async () => {
    const line = await shownLine();

    const all = await readCli(line.folder, ['ledger', 'get', 'run-1']);
    const { out, exit } = await readCli(line.folder, ['ledger', 'get', 'run-1', 'call-1']);
    const entry = await readCliJson<Entry>(line.folder, 'ledger', 'get', 'run-1', 'call-1');

    expect([all.exit, exit]).toEqual([0, 0]);
    expect(all.out).toContain('run-1 call-2  READY');
    expect(out).toMatch(/signature {2}valid \(key [0-9a-f]{16}\)/);
    expect(out).toContain('dropped    gw#chunk-3, rank 3, DOC_CAP');
    expect(out).toContain('cut        EXCERPT_CUT, gw#chunk-2');
    expect(out).toContain(`| ${'x'.repeat(1300)}\n`);
    expect(entry).toMatchObject({ state: 'READY', signature: 'VALID', problems: [] });
  });

  test('given --view, then it prints the bytes that the agent got and that were digested, and nothing else', async () => {
    const line = await shownLine();
    const [projected] = await line.messages('projected.v1');

    const { out } = await readCli(line.folder, ['ledger', 'get', 'run-1', 'call-1', '--view']);

    expect(out).toBe(projected!.agentView);
    expect(createHash('sha256').update(out).digest('hex')).toBe(projected!.agentViewSha256);
  });

  test('given no such run or call, or --view without a call, then it is your input', async () => {
    const line = await shownLine();

    for (const argv of [['run-9'], ['run-1', 'call-9'], ['run', 'call-1']])
      expect(await readCli(line.folder, ['ledger', 'get', ...argv])).toMatchObject({
        code: 'PL_NOT_FOUND',
        exit: 2,
      });
    expect(await readCli(line.folder, ['ledger', 'get', 'run-1', '--view'])).toMatchObject({
      code: 'PL_INPUT_INVALID',
    });
  });

  test('given no public key, then that is said, and nobody is accused', async () => {
    const line = await shownLine();
    await line.close();
    rmSync(join(line.folder, 'keys'), { recursive: true });

    const { out, exit } = await readCli(line.folder, ['ledger', 'get', 'run-1', 'call-1']);
    const verified = await readCli(line.folder, ['ledger', 'verify']);

    expect(exit).toBe(0);
    expect(out).toContain('not checked, there is no public key');
    expect(verified.exit).toBe(1);
    expect(verified.out).toContain('No signature could be checked');
  });
});

interface Report {
  readonly entries: number;
  readonly compared: number;
  readonly behind: number;
  readonly problem_count: number;
  readonly problems: readonly { code: string; run_id: string | null; tool_call_id: string | null }[];
}

const codesOf = ({ problems }: Report): string[] => problems.map(({ code }) => code);

describe('ledger verify', () => {
  test('given an honest ledger, then every signature holds and the view is equal, beside the line and after it', async () => {
    const line = await shownLine();

    const beside = await readCli(line.folder, ['ledger', 'verify']);
    const report = await readCliJson<Report>(line.folder, 'ledger', 'verify');
    await line.close();
    const after = await readCli(line.folder, ['ledger', 'verify']);

    expect(beside.exit).toBe(0);
    expect(beside.out).toContain('Every entry is what its writer signed');
    expect(report).toMatchObject({
      entries: 4,
      compared: 2,
      behind: 0,
      problem_count: 0,
      signatures: { VALID: 4 },
    });
    expect(after.out).toBe(beside.out);
  });

  test('given a view that was changed, then the entry is named, while get, which reads the topic, stays true', async () => {
    const line = await shownLine();
    await tamper(line, () => ({ agentView: '{"forged":true}' }));

    const { out, exit } = await readCli(line.folder, ['ledger', 'verify']);
    const entry = await readCliJson<Entry>(line.folder, 'ledger', 'get', 'run-1', 'call-1');

    expect(exit).toBe(1);
    expect(out).toMatch(/VIEW_DIFFERS +1@\d+ +run-1 call-1\n1 problem\./);
    expect(entry.problems).toEqual([]);
  });

  test('given entries that are only in the view, or missing from it, then both are named', async () => {
    const line = await shownLine();
    await line.bus.writer.write((db) => {
      db.exec(`UPDATE ledger_entry SET tool_call_id = 'call-x' WHERE tool_call_id = 'call-2'`);
    });

    const { out } = await readCli(line.folder, ['ledger', 'verify'], { json: true });

    expect(codesOf(JSON.parse(out) as Report)).toEqual(['ONLY_IN_VIEW', 'NOT_IN_VIEW']);
  });

  test('given a view of other logs, then nothing of it is believed', async () => {
    const line = await shownLine();
    await line.bus.writer.write((db) => db.exec(`UPDATE ledger_position SET epoch = 'another'`));

    const { out } = await readCli(line.folder, ['ledger', 'verify'], { json: true });

    expect(new Set(codesOf(JSON.parse(out) as Report))).toEqual(new Set(['VIEW_OF_OTHER_LOGS']));
  });

  test('given a view that has yet to apply records, then it is behind, and that is no problem', async () => {
    const line = openTestLine({ stations: ['retrieve', 'postprocess', 'ledger-view', 'project'] });
    await line.ask({});
    await line.idle();
    await line.stop('ledger-view');
    await line.bus.append([
      { topic: 'ledger.v1', partition: 0, key: Buffer.from('~barrier'), value: null, headers: {} },
      {
        topic: 'ledger.v1',
        partition: partitionOf('run-1', 2),
        key: Buffer.from('run-1/x'),
        value: null,
        headers: {},
      },
    ]);

    const report = await readCliJson<Report>(line.folder, 'ledger', 'verify');

    expect(report).toMatchObject({ behind: 2, tombstones: 1, others: 1, problem_count: 0 });
  });

  test('given records that others wrote, then each is told by what is wrong with it', async () => {
    const line = await shownLine();
    await line.stop('ledger-view');
    const [entry] = (await line.messages('ledger.v1')).filter(({ state }) => state === 'READY');
    const foreign = openKeyring(tempFolder(), { create: true }).signer!;
    const put = async (toolCallId: string, changes: object): Promise<void> => {
      const changed = { ...entry!, toolCallId, ...changes };
      await line.bus.append([line.record('ledger.v1', changed, `run-1/${toolCallId}`)]);
    };
    await put('unsigned', { signature: { keyId: '', value: '' } });
    await put('changed', { noEvidenceBasis: 'other', state: 'FAILED' });
    await put('redrawn', { agentView: `${entry!.agentView ?? ''} ` });
    await put('foreign', { signature: signEntry({ ...entry!, toolCallId: 'foreign' }, foreign) });
    await put('call-1', { expiresAt: entry!.expiresAt + 1 });
    await line.bus.append([
      { ...line.record('ledger.v1', entry!, 'run-1/moved'), headers: {} },
      { ...line.record('ledger.v1', entry!, 'run-1/junk'), value: Buffer.from('junk') },
    ]);

    const { out, exit } = await readCli(line.folder, ['ledger', 'verify'], { json: true });
    const { problems } = JSON.parse(out) as Report;

    expect(exit).toBe(1);
    const of = (call: string): string[] =>
      problems.filter(({ tool_call_id: id }) => id === call).map(({ code }) => code);
    expect(of('unsigned')).toEqual(['AGENT_VIEW_MALFORMED', 'SIGNATURE_ABSENT']);
    expect(of('redrawn')).toEqual(['DIGEST_WRONG', 'AGENT_VIEW_MALFORMED', 'SIGNATURE_INVALID']);
    expect(of('changed')).toContain('SIGNATURE_INVALID');
    expect(of('foreign')).toContain('SIGNING_KEY_UNKNOWN');
    expect(of('call-1')).toEqual(['SIGNATURE_INVALID', 'TAKEN_BACK']);
    expect(of('moved')).toEqual(['OTHER_KEY']);
    expect(of('junk')).toEqual(['UNREADABLE']);
  });
});
