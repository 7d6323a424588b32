import { afterEach, expect, test } from 'vitest';
import { createHttpServer } from '../../src/observe/http.js';
import { closeLines, openTestLine } from '../support/line.js';
import { forgedDraft, trueDraft } from '../support/line-drafts.js';
import { withSteps } from '../support/line-echo.js';
import { hitAbout, hits, isDown, scripted } from '../support/line-search.js';
import { observe, stopObserving } from '../support/observe.js';
import { removeTempFolders } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

afterEach(async () => {
  await closeLines();
  await stopObserving();
  removeTempFolders();
});

const QUERY = 'planted query kumquat';
const EVIDENCE = 'planted evidence persimmon';
const REPORT = 'planted report rambutan';
const PLANTED = /kumquat|persimmon|rambutan/;

test('given evidence, queries and reports, no log line, metric, span or answer about health has any of it', async () => {
  let failures = 2;
  let down = true;
  const observed = await observe({ traced: true });
  const line = openTestLine({
    observe: observed,
    search: scripted(({ query }) => {
      if (down) return isDown(5);
      if (query.startsWith('malformed')) throw new TypeError(`${EVIDENCE} is not a function`);
      return hits([hitAbout(query, `${EVIDENCE}. To solve ${query}, check the upstream first.`)]);
    }),
    wrapBus: (bus) =>
      withSteps(bus, (group) => {
        if (group === 'project' && failures-- > 0) throw new SyntaxError(`Unexpected token in "${EVIDENCE}"`);
      }),
  });
  const server = createHttpServer({ routes: [observed.routes] });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const answers: string[] = [];
  const look = async (): Promise<void> => {
    for (const path of ['/livez', '/readyz', '/metrics', `/${encodeURIComponent(QUERY)}`])
      answers.push(await (await fetch(`${url}${path}`)).text());
  };
  await line.ask({ query: QUERY });
  await waitUntil('it waits', () => line.health.waiting().length > 0);
  await look();
  down = false;
  await waitUntil('project fails', async () => {
    await look();
    return failures <= 0;
  });
  await line.idle();
  await line.handIn({ draftId: 'd1', draftJson: forgedDraft({ query: QUERY }).replace('To solve', REPORT) });
  await line.handIn({ draftId: 'd2', attempt: 2, draftJson: trueDraft([{ query: QUERY }]) });
  await line.handIn({ draftId: 'd3', attempt: 3, draftJson: `{"${REPORT}": 1}` });
  const poison = line.record('lookup-requested.v1', await line.ask({ toolCallId: 'c2', query: QUERY }));
  await line.bus.append([
    { ...poison, value: Buffer.from(EVIDENCE) },
    { ...poison, key: Buffer.from(EVIDENCE), value: Buffer.concat([poison.value!, Buffer.from(EVIDENCE)]) },
    { ...poison, headers: { ...poison.headers, ce_id: EVIDENCE, traceparent: EVIDENCE, [EVIDENCE]: QUERY } },
  ]);
  await line.idle();
  await line.ask({ toolCallId: 'c3', query: `malformed ${QUERY}` });
  await waitUntil('a thrown error is waited for', () => line.health.waiting().length > 0);
  await look();
  await waitUntil('dead letters are logged', () =>
    observed.logged.some(({ code }) => code === 'PL_RECORD_UNDECODABLE'),
  );
  await server.close();
  await line.close();
  await observed.stop();

  const spans = observed.exporter
    .getFinishedSpans()
    .map(({ name, attributes, status, events, resource }) =>
      JSON.stringify({ name, attributes, status, events, resource: resource.attributes }),
    );
  // The line did see them.
  expect(spans.some((span) => span.includes('"proofline.outcome":"PASSED"'))).toBe(true);
  expect(observed.logged.some(({ error }) => error === 'SyntaxError')).toBe(true);
  expect(observed.logged.some(({ error }) => error === 'TypeError')).toBe(true);
  for (const text of [...spans, ...observed.logged.map((each) => JSON.stringify(each)), ...answers])
    expect(text).not.toMatch(PLANTED);
  expect(answers.some((text) => text.includes('an unexpected error; the log says which'))).toBe(true);
});
