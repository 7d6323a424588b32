import { isJsonObject } from '../../contracts/json.js';
import type { VerifySignature } from '../try/guard.js';
import type { AddCommand, CommandContext } from '../command.js';
import { inputInvalid } from '../input.js';
import { print } from '../print.js';
import { readJson, readText } from '../read-input.js';

const HELP = `
Examples:
  proofline check --evidence bundle.json --draft report.json
  proofline check --evidence bundle.json --draft - --keys .proofline/keys < report.json
  proofline ledger get r1 --json > bundle.json   what the run was shown, to check reports against

A bundle is that, or {"run_id": "…", "entries": [{"run_id", "tool_call_id", "state", "agent_view", …}]}.
Without --keys signatures are not looked at. Exit code 0 PASSED, 1 REJECTED, 2 input that cannot be used.
`;

interface CheckOptions {
  readonly evidence: string;
  readonly draft: string;
  readonly keys?: string;
  readonly at?: string;
}

export const addCheck: AddCommand = (program, context) => {
  program
    .command('check')
    .description('hold one report against exported evidence, without a line')
    .requiredOption('--evidence <FILE>', 'the bundle of ledger entries; - for standard input')
    .requiredOption('--draft <FILE>', 'the report; - for standard input')
    .option('--keys <DIR>', 'verify signatures with the public keys of this folder')
    .option('--at <INSTANT>', 'when the report was handed in, RFC 3339 (now without)')
    .addHelpText('after', HELP)
    .action((options: CheckOptions) => check(options, context));
};

async function check(options: CheckOptions, context: CommandContext): Promise<void> {
  const { evidence, draft, keys, at = new Date().toISOString() } = options;
  if (evidence === '-' && draft === '-') throw inputInvalid('only one of --evidence and --draft can be -');
  const input = {
    evidence: bundleOf(await readJson(context.io, evidence)),
    draft_json: await readText(context.io, draft),
    submitted_at: at,
  };
  const { tryGuard } = await import('../try/guard.js');
  const verdict = tryGuard(input, ...(await verifierOf(keys)));
  if (verdict['status'] !== 'PASSED') context.exit(1);
  const { verdictPage } = await import('../render/check.js');
  print(
    context,
    () => verdict,
    (paint) => verdictPage(verdict, { keysGiven: keys !== undefined }, paint),
  );
}

/** A bundle, or what `ledger get RUN --json` printed: there each entry is the value of a record. */
function bundleOf(json: unknown): unknown {
  const entries = isJsonObject(json) && !('run_id' in json) ? json['entries'] : undefined;
  if (!Array.isArray(entries) || entries.length === 0) return json;
  const values = entries.map((entry: unknown) => (isJsonObject(entry) ? entry['value'] : undefined));
  if (!values.every(isJsonObject)) return json;
  return { run_id: values[0]?.['run_id'], entries: values };
}

async function verifierOf(keys: string | undefined): Promise<[] | [VerifySignature]> {
  if (keys === undefined) return [];
  const { openKeyring } = await import('../../ledger/keyring.js');
  const { signatureCheck } = await import('../try/signature.js');
  return [signatureCheck(openKeyring(keys, { create: false, verifyOnly: true }))];
}
