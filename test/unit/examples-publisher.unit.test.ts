import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { fileNameOf, openReportFolder } from '../../examples/publisher/folder.js';
import { escaped, reportMarkdown } from '../../examples/publisher/markdown.js';
import { publishFromGateway, publishFromKafka } from '../../examples/publisher/publisher.js';
import { clientOver } from '../../producers/kafka.js';
import { createClient } from '../../src/client/index.js';
import { createCodec } from '../../src/contracts/codec.js';
import type { VerifiedDraft } from '../../src/contracts/generated.js';
import { recordToJson } from '../../src/contracts/record-json.js';
import { encodeRecord } from '../../src/station/envelope.js';
import { closeScriptedGateways, events, openScriptedGateway, problem } from '../support/client-gateway.js';
import { closeBuses, openBus } from '../support/embedded-bus.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';
import { fallbackOf, verifiedDraft } from '../support/verified.js';
import { waitUntil } from '../support/wait.js';

afterEach(async () => {
  await closeScriptedGateways();
  await closeBuses();
  removeTempFolders();
});

const codec = createCodec();

function snapshot(toolCallId: string, items: VerifiedDraft['lookups'][number]['items']) {
  return {
    toolCallId,
    query: `asked by ${toolCallId}`,
    evidenceStatus: items.length > 0 ? ('EVIDENCE_FOUND' as const) : ('NO_EVIDENCE' as const),
    relevanceLevel: null,
    truncated: false,
    cuts: [],
    noEvidenceBasis: null,
    agentViewSha256: 'a'.repeat(64),
    items,
  };
}

const item = (documentId: string, title: string | null, excerpt: string) => ({
  documentId,
  title,
  excerpt,
  source: null,
  breadcrumb: null,
});

const citation = (toolCallId: string, documentId: string, cited = true) => ({
  toolCallId,
  documentId,
  cited,
});

const report = verifiedDraft('1', 'run-1', {
  verdictEventId: 'v'.repeat(32),
  draft: {
    analysis: [
      {
        id: 'a1',
        kind: 'NORMAL',
        text: 'The pool is used up.',
        toolCallIds: ['c1'],
        documentIds: [],
        quotes: [],
      },
      { id: 'a2', kind: 'NORMAL', text: 'So it waits.', toolCallIds: ['c1'], documentIds: [], quotes: [] },
      {
        id: 'a3',
        kind: 'NEGATIVE_OBSERVATION',
        text: 'No mesh.',
        toolCallIds: ['c2'],
        documentIds: [],
        quotes: [],
      },
    ],
    conclusion: { text: 'It may be the pool.', basedOnAnalysisIds: ['a2', 'a1'] },
    actionPlan: [{ text: 'Look at the pool.', basedOnAnalysisIds: ['a1'] }],
    limitations: ['No logs.'],
  },
  lookups: [
    snapshot('c1', [
      item('pool#chunk-0', 'Pool', 'All connections are in use.'),
      item('pool#chunk-1', null, 'Waiting threads.'),
      item('other#chunk-0', 'Other', 'Not cited.'),
    ]),
    snapshot('c2', []),
  ],
  analyses: [
    { id: 'a1', citations: [citation('c1', 'pool#chunk-0'), citation('c1', 'other#chunk-0', false)] },
    { id: 'a2', citations: [citation('c1', 'pool#chunk-1'), citation('c1', 'pool#chunk-0')] },
    { id: 'a3', citations: [] },
  ],
  quotes: [
    {
      path: '/analysis/0/quotes/0/text',
      rung: 'FOLDED',
      toolCallId: 'c1',
      documentId: 'pool#chunk-0',
      start: 4,
      end: 15,
      excerptSha256: null,
      ambiguous: false,
      afterNegation: false,
      places: [],
    },
  ],
});

describe('a report as Markdown', () => {
  it('numbers what it cites, and shows what the model was shown of it', () => {
    expect(reportMarkdown(report)).toBe(`# Report of run run-1

It may be the pool. [2][1]

## Analysis

- The pool is used up. [1]
- So it waits. [2][1]
- No mesh. (asked: “asked by c2”)

## What to do

1. Look at the pool. [1]

## Limitations

- No logs.

## Sources

1. Pool, pool#chunk-0
   > connections
2. pool#chunk-1

## Proof

- draft draft-1, attempt 1
- verdict ${'v'.repeat(32)}, released by RULES
`);
  });

  it('says so when there is no conclusion', () => {
    const draft = { ...report.draft!, conclusion: null, actionPlan: [] };
    const text = reportMarkdown({ ...report, draft });
    expect(text).toContain('The evidence was not enough for a conclusion.');
    expect(text).not.toContain('What to do');
  });

  it.each([
    ['[1](https://evil.example)', '\\[1\\](https\\://evil.example)'],
    ['<img src=x onerror=y>', '\\<img src=x onerror=y\\>'],
    ['a\n\n# Heading', 'a # Heading'],
    ['# Heading', '\\# Heading'],
    ['1. item', '1\\. item'],
    ['- item', '\\- item'],
    ['**bold** _it_ snake_case `code`', '\\*\\*bold\\*\\* \\_it\\_ snake_case \\`code\\`'],
    ['a\u202eb', 'ab'],
    ['www.evil.example a@b.example', 'www\\.evil.example a\\@b.example'],
    ['| a |\u2028b', '\\| a \\| b'],
  ])('shows %j as it is: %j', (text, shown) => {
    expect(escaped(text)).toBe(shown);
  });

  it('never lets a text begin a line, a link, HTML or a citation of its own', () => {
    const hostile = fc.array(
      fc.constantFrom(...Array.from('[]()<>#*_`~|&$\\!-+=1. \n\r\t\u2028\u202eab:/@w')),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(hostile, (characters) => {
        const text = escaped(characters.join(''));
        expect(text).not.toMatch(/[\n\r\u2028\u2029\u202e]/);
        expect(text).not.toMatch(/(?<!\\)(?:\\\\)*[[\]<>`*|&~]/);
        expect(text).not.toMatch(/^(?:[#+=-]|\d+[.)])/);
      }),
    );
  });
});

describe('the folder of reports', () => {
  it('has one file a run, replaced as a whole, and nothing beside it', async () => {
    const folder = join(tempFolder(), 'reports');
    const reports = await openReportFolder(folder);
    await reports.publish(report);
    await reports.publish({ ...report, draftId: 'draft-2' });
    await reports.keepPosition('p');
    expect(readdirSync(folder).sort()).toEqual(['.position', 'run-1.md']);
    expect(readFileSync(join(folder, 'run-1.md'), 'utf8')).toContain('draft draft-2');
    expect(await (await openReportFolder(folder)).position()).toBe('p');
  });

  it('leaves nothing behind when it cannot write', async () => {
    const folder = join(tempFolder(), 'reports');
    const reports = await openReportFolder(folder);
    mkdirSync(join(folder, 'run-1.md'));
    await expect(reports.publish(report)).rejects.toThrow();
    expect(readdirSync(folder)).toEqual(['run-1.md']);
  });

  it('names files so that no run gets out of it', () => {
    expect(fileNameOf('team:run@1')).toBe('team%3Arun@1');
    expect(fileNameOf('../x')).toBe('..%2Fx');
  });
});

describe('the publisher', () => {
  const fallback = fallbackOf('2', 'run-2');
  const better = verifiedDraft('3', 'run-2', { replaces: fallback.eventId });

  it('follows the gateway, publishes reports alone, and goes on where it stopped', async () => {
    const gateway = await openScriptedGateway();
    const event = (id: string, verified: VerifiedDraft) => ({
      id,
      event: 'verified',
      data: recordToJson('verified.v1', verified),
    });
    gateway.answer(events([event('p1', report), event('p2', fallback)]), problem(403, 'PL_FORBIDDEN'));
    const folder = join(tempFolder(), 'reports');
    const said: string[] = [];
    const publish = async () =>
      publishFromGateway(
        createClient({ url: gateway.url, retry: { firstPauseMs: 1 } }),
        await openReportFolder(folder),
        (line) => void said.push(line),
        new AbortController().signal,
      );
    await expect(publish()).rejects.toMatchObject({ code: 'PL_FORBIDDEN' });
    expect(said).toEqual(['run-1: published', 'run-2: no report (ATTEMPTS)']);
    expect(readdirSync(folder).sort()).toEqual(['.position', 'run-1.md']);
    gateway.answer(events([event('p3', better)]), problem(403, 'PL_FORBIDDEN'));
    await expect(publish()).rejects.toMatchObject({ code: 'PL_FORBIDDEN' });
    expect(gateway.requests[2]?.headers['last-event-id']).toBe('p2');
    expect(said.at(-1)).toBe('run-2: published, in place of a fallback');
    expect(readdirSync(folder).sort()).toEqual(['.position', 'run-1.md', 'run-2.md']);
  });

  it('reads the topic itself, with the same result', async () => {
    const bus = openBus();
    const emitter = { station: 'review', codec, partitions: 2, prefix: 'proofline.', now: Date.now };
    await bus.append([report, fallback, better].map((each) => encodeRecord(emitter, 'verified.v1', each)));
    const folder = join(tempFolder(), 'reports');
    const stop = new AbortController();
    const said: string[] = [];
    const publishing = publishFromKafka(
      clientOver(bus, codec, 'proofline.'),
      await openReportFolder(folder),
      (line) => void said.push(line),
      stop.signal,
    );
    await waitUntil('all is dealt with', () => said.length === 3);
    stop.abort();
    await publishing;
    expect(readdirSync(folder).sort()).toEqual(['run-1.md', 'run-2.md']);
    expect(said).toContain('run-2: no report (ATTEMPTS)');
  });
});
