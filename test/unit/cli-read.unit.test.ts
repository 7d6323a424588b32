import { generateKeyPairSync } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { localSchemaId } from '../../src/contracts/schema-ids.js';
import { partitionOf } from '../../src/contracts/partition.js';
import { draftJsonSchema } from '../../src/guard/draft-schema.js';
import { schemaProblems } from '../../src/cli/package-schemas.js';
import { newRecord, newRecords } from '../support/bus.js';
import { closeLines, openTestLine } from '../support/line.js';
import { readCli, readCliJson } from '../support/read-cli.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

afterEach(async () => {
  await closeLines();
  removeTempFolders();
});

interface Line {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly key: string | { hex: string } | null;
  readonly value: Record<string, unknown> | null;
  readonly tombstone?: true;
  readonly undecodable?: { code: string; bytes: number; hex: string };
}

async function tailed(folder: string, ...argv: readonly string[]): Promise<Line[]> {
  const { out, code } = await readCli(folder, ['tail', ...argv], { json: true });
  if (code !== null) throw new Error(code);
  return out
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => JSON.parse(row) as Line);
}

const place = ({ partition, offset }: Line): string => `${partition}@${offset}`;

describe('tail', () => {
  test('given records on several partitions, then they come by the time that the bus took them', async () => {
    let now = 1_000_000;
    const line = openTestLine({ stations: [], now: () => (now += 10) });
    for (const partition of [1, 0, 1, 1, 0])
      await line.bus.append([newRecord('raw-hits.v1', partition, 'junk')]);

    expect((await tailed(line.folder, 'raw-hits.v1')).map(place)).toEqual([
      '1@0',
      '0@0',
      '1@1',
      '1@2',
      '0@1',
    ]);
    expect((await tailed(line.folder, 'proofline.raw-hits.v1', '--partition', '1')).map(place)).toEqual([
      ...['1@0', '1@1', '1@2'],
    ]);
    expect((await tailed(line.folder, 'raw-hits.v1', '--limit', '2')).map(place)).toEqual(['1@0', '0@0']);
    expect((await tailed(line.folder, 'raw-hits.v1', '--partition', '1', '--from', '2')).map(place)).toEqual([
      '1@2',
    ]);
    expect(await tailed(line.folder, 'raw-hits.v1', '--from', 'end')).toEqual([]);
  });

  test('given more records than a page, on a log with gaps, then none is left out and none comes twice', async () => {
    const line = openTestLine({ stations: [] });
    for (let i = 0; i < 3; i++) await line.bus.append(newRecords('run-outcome.v1', 1, 111));
    await line.bus.append(newRecords('run-outcome.v1', 0, 5));
    await line.bus.writer.write((db) => db.prepare('DELETE FROM record WHERE offset % 3 = 0').run());

    const offsets = (await tailed(line.folder, 'run-outcome.v1', '--partition', '1')).map(
      ({ offset }) => offset,
    );

    expect(offsets).toEqual(Array.from({ length: 333 }, (_, i) => i).filter((i) => i % 3 !== 0));
    expect(await tailed(line.folder, 'run-outcome.v1')).toHaveLength(222 + 3);
  });

  test('given --run, then only what is of that run comes, by key or by what it says', async () => {
    const line = openTestLine({ partitions: 1 });
    await line.ask({ runId: 'run-1' });
    await line.ask({ runId: 'run-10' });
    await line.idle();

    const ledger = await tailed(line.folder, 'ledger.v1', '--run', 'run-1');

    expect(ledger.map(({ key }) => key)).toEqual(['run-1/call-1', 'run-1/call-1']);
    expect(ledger.map(({ value }) => value!['state'])).toEqual(['PENDING', 'READY']);
    expect(await tailed(line.folder, 'projected.v1', '--run', 'run-10', '--limit', '1')).toHaveLength(1);
  });

  test('given what cannot be decoded, a tombstone and a key that is no text, then each is shown as what it is', async () => {
    const line = openTestLine({ stations: [], partitions: 1 });
    await line.bus.append([
      newRecord('ledger.v1', 0, 'junk', { key: Buffer.from([0xff, 0xfe]) }),
      newRecord('ledger.v1', 0, null, { key: Buffer.from('run-1/call-1') }),
    ]);

    const [bad, gone] = await tailed(line.folder, 'ledger.v1');
    const { out } = await readCli(line.folder, ['tail', 'ledger.v1']);

    expect(bad).toMatchObject({ key: { hex: 'fffe' }, value: null });
    expect(bad!.undecodable).toMatchObject({ code: 'PL_RECORD_UNDECODABLE', bytes: 4, hex: '6a756e6b' });
    expect(gone).toMatchObject({ key: 'run-1/call-1', value: null, tombstone: true });
    expect(out).toContain('PL_RECORD_UNDECODABLE');
    expect(out).toContain('(tombstone)');
  });

  test('given --follow, then what is appended comes, and a signal ends it', async () => {
    const line = openTestLine({ stations: [], partitions: 2 });
    await line.bus.append([newRecord('raw-hits.v1', 0, 'before')]);
    const stop = new AbortController();
    let seen = '';
    const following = readCli(line.folder, ['tail', 'raw-hits.v1', '--follow'], {
      json: true,
      signal: stop.signal,
      onOut: (text) => void (seen += text),
    });

    // It begins at the end: what is written until then is not its business.
    await waitUntil('it follows', async () => {
      await line.bus.append([newRecord('raw-hits.v1', 1, 'after')]);
      return seen !== '';
    });
    stop.abort();
    const { exit } = await following;

    expect(exit).toBe(0);
    expect(JSON.parse(seen.split('\n')[0]!)).toMatchObject({ partition: 1 });
  });

  test.each([
    [['verdicts'], 'PL_NOT_FOUND'],
    [['verdict.v1', '--partition', '99'], 'PL_INPUT_INVALID'],
    [['verdict.v1', '--from', '7'], 'PL_INPUT_INVALID'],
    [['verdict.v1', '--partition', '0', '--from', 'x'], 'PL_INPUT_INVALID'],
    [['verdict.v1', '--limit', '-1'], 'PL_INPUT_INVALID'],
  ])('given %j, then it is your input', async (argv, code) => {
    const line = openTestLine({ stations: [] });

    expect(await readCli(line.folder, ['tail', ...argv])).toMatchObject({ code, exit: 2 });
  });
});

describe('topics', () => {
  interface Row {
    readonly name: string;
    readonly records: number;
    readonly low: number;
    readonly end: number;
    readonly retention_days: number | null;
    readonly groups: { group: string; lag: number }[];
  }

  test('given a line that waits, then its lag is shown, and what is kept, beside it and after it', async () => {
    const line = openTestLine({ stations: ['retrieve', 'ledger-view'] });
    for (let i = 0; i < 5; i++) await line.ask({ toolCallId: `call-${i}`, runId: `run-${i}` });
    await line.idle();
    line.start('postprocess');
    await line.idle();
    await line.stop('postprocess');
    for (let i = 5; i < 8; i++) await line.ask({ toolCallId: `call-${i}`, runId: `run-${i}` });
    await line.idle();

    const { topics } = await readCliJson<{ topics: Row[] }>(line.folder, 'topics');
    const beside = await readCli(line.folder, ['topics']);
    await line.close();
    const after = await readCli(line.folder, ['topics']);

    const rowOf = (name: string): Row => topics.find((row) => row.name === name)!;
    expect(rowOf('lookup-requested.v1')).toMatchObject({
      records: 8,
      end: 8,
      groups: [{ group: 'retrieve', lag: 0 }],
    });
    expect(rowOf('raw-hits.v1')).toMatchObject({
      groups: [{ group: 'postprocess', lag: 3 }],
      retention_days: 7,
    });
    expect(beside.out).toMatch(/raw-hits\.v1 +run_id +internal +delete 7 d +8 +0 +8 +postprocess \(3\)\n/);
    expect(beside.out).toMatch(/tool-invocation\.v1 +run_id +frozen +never /);
    expect(beside.out).toContain('2 partitions each');
    expect(after.out).toBe(beside.out);
  });

  test('given what retention removed, then low and end say so', async () => {
    const line = openTestLine({ stations: [] });
    await line.bus.append([...newRecords('raw-hits.v1', 0, 5), ...newRecords('raw-hits.v1', 1, 2)]);
    await line.bus.writer.write((db) =>
      db.prepare('DELETE FROM record WHERE partition = 0 AND offset < 3').run(),
    );

    const { topics } = await readCliJson<{ topics: Row[] }>(line.folder, 'topics');

    expect(topics.find(({ name }) => name === 'raw-hits.v1')).toMatchObject({ records: 4, low: 3, end: 7 });
  });
});

describe('schemas', () => {
  test('given list, then each schema has its id in the wire format', async () => {
    const { schemas } = await readCliJson<{
      schemas: { name: string; local_id: string; contract: string }[];
    }>(...['nowhere', 'schemas']);

    expect(schemas).toHaveLength(18);
    expect(schemas.find(({ name }) => name === 'verdict.v1')).toMatchObject({
      local_id: `0x${localSchemaId('verdict.v1').toString(16)}`,
      contract: 'frozen',
    });
  });

  test('given show, draft or agent-view, then the text is that of the package, byte for byte', async () => {
    const shown = await readCli('nowhere', ['schemas', 'show', 'verdict.v1']);
    const draft = await readCli('nowhere', ['schemas', 'draft']);
    const view = await readCli('nowhere', ['schemas', 'agent-view']);

    expect(shown.out).toBe(readFileSync('schemas/verdict.v1.avsc', 'utf8'));
    expect(JSON.parse(draft.out)).toEqual(JSON.parse(JSON.stringify(draftJsonSchema())));
    expect(view.out).toBe(readFileSync('schemas/agent-view.v1.schema.json', 'utf8'));
    expect(await readCli('nowhere', ['schemas', 'show', '../package.json'])).toMatchObject({
      code: 'PL_NOT_FOUND',
    });
    expect(await readCli('nowhere', ['schemas', 'show', '__proto__'])).toMatchObject({
      code: 'PL_NOT_FOUND',
    });
  });

  test('given check, then what the package has is what was promised', async () => {
    expect(await readCli('nowhere', ['schemas', 'check'])).toMatchObject({
      exit: 0,
      out: /what was promised/ as never,
    });
    expect(await readCliJson('nowhere', 'schemas', 'check')).toEqual({ kept: true, problems: [] });
  });

  test('given a frozen schema with another default, then it is named, and so is that the code uses another', () => {
    const folder = join(tempFolder(), 'schemas');
    cpSync('schemas', folder, { recursive: true });
    const file = join(folder, 'verdict.v1.avsc');
    const text = readFileSync(file, 'utf8');
    expect(schemaProblems(folder)).toEqual([]);

    writeFileSync(file, text.replace(/"default": null/, '"default": null, "aliases": ["other"]'));
    const moved = schemaProblems(folder).join('\n');
    expect(moved).toMatch(/verdict\.v1 is frozen, but an attribute other than doc moved/);
    expect(moved).toContain('schemas/verdict.v1.avsc is not what this version uses');
    writeFileSync(file, text.replace('"default": []', '"default": 1'));
    expect(schemaProblems(folder).join('\n')).toContain('schemas/verdict.v1.avsc is no schema');
    writeFileSync(file, '{');
    expect(schemaProblems(folder).join('\n')).toContain('verdict.v1 is gone');
    writeFileSync(file, text.replace(/"doc": "[^"]*"/, '"doc": "other words"'));
    expect(schemaProblems(folder)).toEqual([]);
  });
});

describe('keys', () => {
  test('given new, rotate and import, then the list has each, and what the old one signed still verifies', async () => {
    const line = openTestLine();
    await line.ask({});
    await line.idle();
    await line.close();
    const { folder } = line;
    const pem = generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }) as string;

    const again = await readCli(folder, ['keys', 'new']);
    const { key_id: rotated } = await readCliJson<{ key_id: string }>(folder, 'keys', 'rotate');
    const imported = await readCli(folder, ['keys', 'import', '-'], { stdin: pem });
    const { keys } = await readCliJson<{ keys: { key_id: string; kind: string; problem: string | null }[] }>(
      ...[folder, 'keys'],
    );

    expect(again).toMatchObject({ code: 'PL_INPUT_INVALID', exit: 2 });
    expect(imported.out).toMatch(/^[0-9a-f]{16} was added/);
    expect(keys.filter(({ kind }) => kind === 'private').map(({ key_id: id }) => id)).toEqual([rotated]);
    expect(keys.filter(({ kind }) => kind === 'public')).toHaveLength(3);
    expect((await readCli(folder, ['ledger', 'verify'])).exit).toBe(0);
  });

  test('given a private key, or no key at all, to import, then it is refused, and its text not repeated', async () => {
    const folder = tempFolder();
    const { privateKey } = generateKeyPairSync('ed25519');
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;

    const refused = await readCli(folder, ['keys', 'import', '-'], { stdin: pem });

    expect(refused).toMatchObject({ code: 'PL_KEY_INVALID', exit: 3 });
    expect(refused.err).not.toContain(pem.split('\n')[1]);
    expect(await readCli(folder, ['keys', 'import', join(folder, 'none.pem')])).toMatchObject({ exit: 2 });
    expect((await readCli(folder, ['keys'])).out).toContain('No key in');
  });

  test('given a key file that others may read, then the list says why it cannot be used', async () => {
    const folder = tempFolder();
    await readCli(folder, ['keys', 'new'], { env: { PROOFLINE_KEYS: join(folder, 'elsewhere') } });
    const { keys } = await readCli(folder, ['keys', 'list'], {
      json: true,
      env: { PROOFLINE_KEYS: join(folder, 'elsewhere') },
    }).then(({ out }) => JSON.parse(out) as { keys: { file: string; kind: string }[] });
    const { file } = keys.find(({ kind }) => kind === 'private')!;
    const { chmodSync } = await import('node:fs');
    chmodSync(join(folder, 'elsewhere', file), 0o644);

    const listed = await readCli(folder, ['keys'], { env: { PROOFLINE_KEYS: join(folder, 'elsewhere') } });

    expect(listed.exit).toBe(1);
    expect(listed.out).toContain('chmod 600');
  });
});

test('a run lies on the partition that its id gives, and every command looks there', async () => {
  const line = openTestLine({ partitions: 5 });
  await line.ask({ runId: 'run-x' });
  await line.idle();

  const trail = await readCliJson<{ partition: number }>(line.folder, 'trail', 'run-x');

  expect(trail.partition).toBe(partitionOf('run-x', 5));
});

test.each(['trail', 'tail', 'topics', 'schemas', 'dlq', 'ledger', 'keys'])(
  'given %s --help, then it explains itself by example',
  async (command) => {
    const { out, exit } = await readCli('nowhere', [command, '--help']);

    expect(exit).toBe(0);
    expect(out).toMatch(new RegExp(`Examples:\\n {2}proofline ${command}`));
  },
);
