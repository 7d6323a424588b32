import { afterEach, describe, expect, test } from 'vitest';
import { draftSubmitted } from '../../producers/drafts.js';
import { lookupRequested } from '../../producers/lookups.js';
import type { Bus, NewRecord } from '../../src/bus/bus.js';
import { readConfig } from '../../src/config/config.js';
import { partitionOf } from '../../src/contracts/partition.js';
import { openLocalLine, type LocalLine } from '../../src/line/local-line.js';
import { replayDeadLetter } from '../../src/line/replay.js';
import { serveLine, type SocketServer } from '../../src/line/socket-server.js';
import { ATTEMPT_HEADER, REPLAY_HEADER } from '../../src/station/dead-letter.js';
import { closeLines, openTestLine, type TestLine } from '../support/line.js';
import { newRecord, readAll } from '../support/bus.js';
import { readCli, readCliJson } from '../support/read-cli.js';
import { refusal } from '../support/refusal.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
  await closeLines();
  removeTempFolders();
});

interface ListedLetter {
  readonly event_id: string;
  readonly station: string;
  readonly code: string;
  readonly attempt: number;
  readonly run_id: string;
  readonly origin: { readonly topic: string; readonly partition: number; readonly offset: number };
  readonly replayed: { readonly by: string; readonly as: string; readonly to: object } | null;
}

async function listed(folder: string, ...argv: readonly string[]): Promise<ListedLetter[]> {
  const { dead_letters: letters } = await readCliJson<{ dead_letters: ListedLetter[] }>(
    folder,
    ...['dlq', 'list', ...argv],
  );
  return letters;
}

const RIGHT = partitionOf('run-1', 2);
const WRONG = 1 - RIGHT;

/** A lookup of run-1 on the partition where it does not belong. */
function misplacedLookup(line: TestLine, toolCallId = 'call-1'): NewRecord {
  const message = lookupRequested({ runId: 'run-1', toolCallId, query: 'gateway timeout' }, Date.now());
  return {
    ...line.record('lookup-requested.v1', message),
    partition: WRONG,
    headers: { origin: 'café\u00ff' },
  };
}

async function lineWith(...records: readonly NewRecord[]): Promise<TestLine> {
  const line = openTestLine();
  await line.bus.append(records.length > 0 ? records : [misplacedLookup(line)]);
  await line.idle();
  return line;
}

describe('dlq list', () => {
  test('given dead letters, then each is a row, and the filters pick', async () => {
    const line = openTestLine();
    await line.bus.append([
      misplacedLookup(line),
      newRecord('draft-submitted.v1', RIGHT, 'junk'),
      newRecord('verdict.v1', RIGHT, 'junk', { key: Buffer.from('run-2') }),
    ]);
    await line.idle();

    const { out } = await readCli(line.folder, ['dlq']);

    expect(out.split('\n')[0]).toMatch(
      /^dead letter +given up +station +code +record +run +attempt +replayed$/,
    );
    expect(out).toMatch(
      new RegExp(`retrieve +PL_PARTITION_WRONG +lookup-requested\\.v1/${WRONG}@0 +run-1 +1`),
    );
    expect(await listed(line.folder, '--station', 'guard')).toMatchObject([
      { code: 'PL_RECORD_UNDECODABLE' },
    ]);
    expect(await listed(line.folder, '--code', 'PL_PARTITION_WRONG')).toHaveLength(1);
    expect((await listed(line.folder, '--run', 'run-2')).map(({ station }) => station).sort()).toEqual([
      'audit-sink',
      'review',
    ]);
    expect(await listed(line.folder, '--code', 'PL_NOTHING')).toEqual([]);
  });

  test('given none, then it says so', async () => {
    const line = openTestLine();

    expect((await readCli(line.folder, ['dlq', 'list'])).out).toBe('No dead letters.\n');
  });
});

describe('dlq show', () => {
  test('given a record that can be decoded, then it is shown decoded, with what to do', async () => {
    const line = await lineWith();
    const [letter] = await listed(line.folder);

    const { out } = await readCli(line.folder, ['dlq', 'show', letter!.event_id.slice(0, 8)]);
    const json = await readCliJson(line.folder, 'dlq', 'show', letter!.event_id);

    expect(out).toContain(`why        PL_PARTITION_WRONG: The record lies on partition ${WRONG}`);
    expect(out).toContain('solve      Set the client');
    expect(out).toContain('"query": "gateway timeout"');
    expect(out).toContain('header     origin: café\u00ff\n');
    expect(out).toContain('replayed   no');
    expect(json).toMatchObject({
      code: 'PL_PARTITION_WRONG',
      replayed: null,
      record: { key: 'run-1', value: { decoded: { tool_call_id: 'call-1' }, problem: null } },
    });
  });

  test('given bytes that cannot be decoded, then they are shown as hex, whole with --json', async () => {
    const value = Buffer.concat([Buffer.from('\u001b[2Jjunk'), Buffer.alloc(400, 0xab)]);
    const line = await lineWith(newRecord('draft-submitted.v1', RIGHT, value));
    const [letter] = await listed(line.folder);

    const { out } = await readCli(line.folder, ['dlq', 'show', letter!.event_id]);
    const json = await readCliJson<{ record: { value: { hex: string; decoded: null } } }>(
      line.folder,
      ...['dlq', 'show', letter!.event_id],
    );

    expect(out).toContain('0000  1b5b324a6a756e6babababababababab  .[2Jjunk........');
    expect(out).toContain('… 152 more bytes');
    expect(json.record.value).toMatchObject({ hex: value.toString('hex'), decoded: null });
  });

  test('given an id that nothing has, or a beginning that several have, then it is your input', async () => {
    const line = openTestLine();
    await line.bus.append(Array.from({ length: 20 }, () => newRecord('draft-submitted.v1', RIGHT, 'junk')));
    await line.idle();
    const ids = (await listed(line.folder)).map(({ event_id: id }) => id);
    const shared = ids.map(([first]) => first!).find((first, i, all) => all.indexOf(first) < i)!;

    expect(await readCli(line.folder, ['dlq', 'show', 'xyz'])).toMatchObject({
      code: 'PL_NOT_FOUND',
      exit: 2,
    });
    expect(await readCli(line.folder, ['dlq', 'show', ''])).toMatchObject({ code: 'PL_NOT_FOUND', exit: 2 });
    expect(await readCli(line.folder, ['dlq', 'show', shared])).toMatchObject({ code: 'PL_INPUT_INVALID' });
  });
});

describe('dlq replay', () => {
  test('given no --yes, then it says what would be written, and writes nothing', async () => {
    const line = await lineWith();
    const [letter] = await listed(line.folder);

    const { out, exit } = await readCli(line.folder, ['dlq', 'replay', letter!.event_id]);

    expect(exit).toBe(0);
    expect(out).toContain(
      `would go to lookup-requested.v1/${RIGHT} (by its run_id, put right from partition ${WRONG})`,
    );
    expect(out).toContain('Nothing was written');
    expect(await readAll(line.bus, 'lookup-requested.v1', RIGHT)).toEqual([]);
    expect(await line.messages('dead-letter-done.v1')).toEqual([]);
  });

  test('given a stopped line and a record on a wrong partition, then --yes puts it right, and it is answered', async () => {
    const line = await lineWith();
    const [record] = await readAll(line.bus, 'lookup-requested.v1', WRONG);
    const [letter] = await listed(line.folder);
    await line.close();

    const { out, exit } = await readCli(line.folder, [
      'dlq',
      'replay',
      letter!.event_id,
      '--yes',
      '--by',
      'Mia',
    ]);
    const after = openTestLine({ folder: line.folder });
    await after.idle();

    expect(exit).toBe(0);
    expect(out).toContain(`went to lookup-requested.v1/${RIGHT}@0`);
    const [again] = await readAll(after.bus, 'lookup-requested.v1', RIGHT);
    expect(again).toMatchObject({
      key: record!.key,
      value: record!.value,
      headers: { ...record!.headers, [REPLAY_HEADER]: letter!.event_id, [ATTEMPT_HEADER]: '1' },
    });
    expect(await after.messages('projected.v1')).toMatchObject([{ toolCallId: 'call-1', state: 'READY' }]);
    expect(await after.read('dead-letter-done.v1')).toMatchObject([
      {
        key: letter!.event_id,
        partition: partitionOf(letter!.event_id, 2),
        value: { deadLetterEventId: letter!.event_id, replayedBy: 'Mia', causedBy: letter!.event_id },
      },
    ]);
    expect((await listed(line.folder))[0]!.replayed).toMatchObject({ by: 'Mia', as: letter!.event_id });
  });

  test('given one that was replayed, then it goes no second time', async () => {
    const line = await lineWith();
    const [letter] = await listed(line.folder);
    await line.close();
    await readCli(line.folder, ['dlq', 'replay', letter!.event_id, '--yes']);

    const second = await readCli(line.folder, ['dlq', 'replay', letter!.event_id, '--yes']);
    const dry = await readCli(line.folder, ['dlq', 'replay', letter!.event_id]);

    expect(second).toMatchObject({ code: 'PL_REPLAY_REFUSED', exit: 1 });
    expect(dry).toMatchObject({ code: 'PL_REPLAY_REFUSED', exit: 1 });
    const after = openTestLine({ folder: line.folder, stations: [] });
    expect(await readAll(after.bus, 'lookup-requested.v1', RIGHT)).toHaveLength(1);
  });

  test('given that it fails again, then that is a new dead letter, one attempt further', async () => {
    const line = await lineWith(newRecord('draft-submitted.v1', RIGHT, 'junk'));
    for (const attempt of [1, 2, 3]) {
      const last = (await listed(line.folder)).at(-1)!;
      expect(last.attempt).toBe(attempt);
      const { event_id: deadLetterEventId } = last;
      const [known] = (await line.read('dead-letter.v1')).filter(
        ({ value }) => value?.eventId === deadLetterEventId,
      );
      await replayDeadLetter(line, {
        deadLetterEventId,
        partition: known!.partition,
        offset: known!.offset,
        by: 'me',
      });
      await line.idle();
    }

    const letters = await listed(line.folder);

    expect(new Set(letters.map(({ event_id: id }) => id)).size).toBe(4);
    expect(letters.map(({ attempt, replayed }) => [attempt, replayed !== null])).toEqual([
      [1, true],
      [2, true],
      [3, true],
      [4, false],
    ]);
  });

  test('given a running line with a socket, then that one does it, under its own lock', async () => {
    const folder = tempFolder();
    const { client } = await runningLine(folder);
    const draft = draftSubmitted({ runId: 'run-1', draftId: 'd', draftJson: '{}' }, Date.now());
    const { emitter, bus, codec } = client.line;
    const value = codec.encode('draft-submitted.v1', draft);
    const right = partitionOf('run-1', emitter.partitions);
    const wrong = (right + 1) % emitter.partitions;
    await bus.append([newRecord('draft-submitted.v1', wrong, value)]);
    const letter = await waitUntil('it was given up', async () => (await listed(folder))[0]);

    const { out, exit } = await readCli(folder, ['dlq', 'replay', letter.event_id, '--yes']);

    expect(exit).toBe(0);
    expect(out).toContain(`went to draft-submitted.v1/${right}@0`);
    const verdict = await waitUntil('it is judged', async () => {
      const [record] = await bus.read('verdict.v1', right, 0, 1);
      return record === undefined ? null : codec.decode('verdict.v1', record.value!);
    });
    expect(verdict).toMatchObject({ draftId: 'd', status: 'REJECTED' });
    expect(await readCli(folder, ['dlq', 'replay', letter.event_id, '--yes'])).toMatchObject({
      code: 'PL_REPLAY_REFUSED',
    });
  });

  test('given two at once, then one of them is refused', async () => {
    const line = await lineWith();
    const [known] = await line.read('dead-letter.v1');
    const { partition, offset, value } = known!;
    const request = { deadLetterEventId: value!.eventId, partition, offset, by: 'me' };

    const results = await Promise.allSettled([
      replayDeadLetter(line, request),
      replayDeadLetter(line, request),
    ]);

    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect((results[1] as PromiseRejectedResult).reason).toEqual(refusal('PL_REPLAY_REFUSED', 'before'));
    expect(await readAll(line.bus, 'lookup-requested.v1', RIGHT)).toHaveLength(1);
  });

  test('given a disk that fails, then neither the record nor the marker is written: they are one append', async () => {
    const line = await lineWith();
    const [known] = await line.read('dead-letter.v1');
    const { partition, offset, value } = known!;
    const request = { deadLetterEventId: value!.eventId, partition, offset, by: 'me' };
    const appended: (readonly NewRecord[])[] = [];
    const failing: Bus = {
      ...line.bus,
      exclusively: (name, work) =>
        line.bus.exclusively(name, (writer) =>
          work({
            ...writer,
            append(records) {
              appended.push(records);
              return Promise.reject(new Error('the disk failed'));
            },
          }),
        ),
    };

    await expect(replayDeadLetter({ ...line, bus: failing }, request)).rejects.toThrow('the disk failed');
    await replayDeadLetter(line, request);

    expect(appended.map((records) => records.map(({ topic }) => topic))).toEqual([
      ['lookup-requested.v1', 'dead-letter-done.v1'],
    ]);
  });

  test('given a place where another dead letter lies, then nothing is replayed', async () => {
    const line = await lineWith();
    const [known] = await line.read('dead-letter.v1');
    const { partition, offset, value } = known!;

    await expect(
      replayDeadLetter(line, { deadLetterEventId: 'f'.repeat(32), partition, offset, by: 'me' }),
    ).rejects.toEqual(refusal('PL_NOT_FOUND'));
    await expect(
      replayDeadLetter(line, { deadLetterEventId: value!.eventId, partition, offset: offset + 1, by: 'me' }),
    ).rejects.toEqual(refusal('PL_NOT_FOUND'));
  });

  test('given neither an id nor --all, or both, then it is your input', async () => {
    const line = await lineWith();

    expect(await readCli(line.folder, ['dlq', 'replay'])).toMatchObject({
      code: 'PL_INPUT_INVALID',
      exit: 2,
    });
    expect(await readCli(line.folder, ['dlq', 'replay', 'x', '--all'])).toMatchObject({
      code: 'PL_INPUT_INVALID',
    });
    expect(await readCli(line.folder, ['dlq', 'replay', '--all', '--rate', '0'])).toMatchObject({ exit: 2 });
  });
});

describe('dlq replay --all', () => {
  test('given several, then a dry run names them, and --yes does those of the filter, in order', async () => {
    const line = openTestLine();
    await line.bus.append([
      misplacedLookup(line, 'call-1'),
      misplacedLookup(line, 'call-2'),
      misplacedLookup(line, 'call-3'),
      newRecord('draft-submitted.v1', RIGHT, 'junk'),
    ]);
    await line.idle();
    await line.close();
    const argv = ['dlq', 'replay', '--all', '--code', 'PL_PARTITION_WRONG', '--rate', '1000'];

    const dry = await readCli(line.folder, argv);
    const began = await readCli(line.folder, [...argv, '--yes'], { json: true });
    const again = await readCli(line.folder, [...argv, '--yes']);

    expect(dry.out.match(/would go to/g)).toHaveLength(3);
    const done = began.out
      .trim()
      .split('\n')
      .map((row) => JSON.parse(row) as { written: boolean; to: object });
    expect(done.map(({ written }) => written)).toEqual([true, true, true]);
    expect(done.map(({ to }) => to)).toMatchObject([0, 1, 2].map((offset) => ({ partition: RIGHT, offset })));
    expect(again.out).toBe('No dead letter to replay.\n');
    const after = openTestLine({ folder: line.folder });
    await after.idle();
    const answered = await after.messages('projected.v1');
    expect(answered.map(({ toolCallId }) => toolCallId)).toEqual(['call-1', 'call-2', 'call-3']);
    expect((await listed(line.folder)).filter(({ replayed }) => replayed === null)).toHaveLength(1);
  });

  test('given a record that two stations gave up, then it goes once', async () => {
    const line = await lineWith(newRecord('verdict.v1', RIGHT, 'junk'));
    expect(await listed(line.folder)).toHaveLength(2);
    await line.close();

    const { out } = await readCli(line.folder, ['dlq', 'replay', '--all', '--yes']);

    expect(out.match(/went to/g)).toHaveLength(1);
    expect(out.match(/not replayed: its record is replayed as dead letter/g)).toHaveLength(1);
    const after = openTestLine({ folder: line.folder, stations: [] });
    expect(await readAll(after.bus, 'verdict.v1', RIGHT)).toHaveLength(2);
    const [one, other] = (await listed(line.folder)).slice(0, 2);
    expect(one!.replayed!.as).toBe(other!.replayed!.as);
  });

  test('given a rate, then no more than that are written in a second', async () => {
    const line = openTestLine();
    await line.bus.append([
      misplacedLookup(line, 'a'),
      misplacedLookup(line, 'b'),
      misplacedLookup(line, 'c'),
    ]);
    await line.idle();
    await line.close();
    const times: number[] = [];
    const onOut = (): void => void times.push(performance.now());

    await readCli(line.folder, ['dlq', 'replay', '--all', '--yes', '--rate', '10'], { onOut });

    expect(times).toHaveLength(3);
    expect(times[1]! - times[0]!).toBeGreaterThan(95);
    expect(times[2]! - times[1]!).toBeGreaterThan(95);
  });

  test('given that it is stopped in between, then what was done was told, and it ends', async () => {
    const line = openTestLine();
    await line.bus.append([misplacedLookup(line, 'a'), misplacedLookup(line, 'b')]);
    await line.idle();
    await line.close();
    const stop = new AbortController();
    let told = '';
    const onOut = (text: string): void => {
      told += text;
      stop.abort(new Error('stopped'));
    };

    await expect(
      readCli(line.folder, ['dlq', 'replay', '--all', '--yes', '--rate', '1'], {
        onOut,
        signal: stop.signal,
      }),
    ).rejects.toThrow('stopped');

    expect(told.match(/went to/g)).toHaveLength(1);
    expect((await listed(line.folder)).filter(({ replayed }) => replayed === null)).toHaveLength(1);
  });
});

async function runningLine(folder: string): Promise<{ client: LocalLine; server: SocketServer }> {
  const { config } = readConfig({}, { data: folder });
  const client = await openLocalLine({ config });
  open.push(client);
  const server = await serveLine(client, folder);
  open.push(server);
  return { client, server };
}
