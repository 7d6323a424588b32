import type { JsonObject } from '../contracts/json.js';
import { recordToJson } from '../contracts/record-json.js';
import type { DemoDraft, DemoLookup, DemoReport, DemoRun } from './run-demo.js';

/** The report as one JSON value: the line's records whole, with the names of their schemas. */
export function demoReportJson({ index, runs, kept }: DemoReport): JsonObject {
  const { documents, chunks, milliseconds } = index;
  return { kept, index: { documents, chunks, milliseconds }, runs: runs.map(runJson) };
}

function runJson({ scripted, lookups, drafts }: DemoRun): JsonObject {
  return {
    run_id: scripted.runId,
    title: scripted.title,
    lookups: lookups.map(lookupJson),
    // In the form that `proofline check --evidence` reads.
    evidence: {
      run_id: scripted.runId,
      entries: lookups.map(({ entry }) => recordToJson('ledger.v1', entry)),
    },
    drafts: drafts.map(draftJson),
  };
}

function lookupJson({ query, projected }: DemoLookup): JsonObject {
  return { query, projected: recordToJson('projected.v1', projected) };
}

function draftJson({ scripted, answer, broken }: DemoDraft): JsonObject {
  const { verdict, reviewed, verified, repair } = answer;
  return {
    file: scripted.file,
    title: scripted.title,
    kept: broken.length === 0,
    broken,
    verdict: recordToJson('verdict.v1', verdict),
    reviewed: recordToJson('reviewed.v1', reviewed),
    verified: verified === null ? null : recordToJson('verified.v1', verified),
    repair: repair === null ? null : recordToJson('repair-requested.v1', repair),
  };
}
