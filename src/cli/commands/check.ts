import type { VerifySignature } from '../try/guard.js';
import type { AddCommand, CommandContext } from '../command.js';
import { inputInvalid } from '../input.js';
import { print } from '../print.js';
import { readJson, readText } from '../read-input.js';

const HELP = `
Examples:
  proofline check --evidence bundle.json --draft report.json
  proofline check --evidence bundle.json --draft - --keys .proofline/keys < report.json
  proofline check --evidence bundle.json --draft report.json --json

A bundle is {"run_id": "…", "entries": [{"run_id", "tool_call_id", "state", "agent_view", …}]}. Without --keys
signatures are not looked at. Exit code 0 PASSED, 1 REJECTED, 2 input that cannot be used.
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
    evidence: await readJson(context.io, evidence),
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

async function verifierOf(keys: string | undefined): Promise<[] | [VerifySignature]> {
  if (keys === undefined) return [];
  const { openKeyring } = await import('../../ledger/keyring.js');
  const { signatureCheck } = await import('../try/signature.js');
  return [signatureCheck(openKeyring(keys, { create: false, verifyOnly: true }))];
}
