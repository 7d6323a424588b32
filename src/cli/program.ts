import { Command, CommanderError } from 'commander';
import { ProoflineError } from '../contracts/errors.js';
import { VERSION } from '../version.js';
import type { AddCommand, CommandContext, GlobalOptions } from './command.js';
import { addAssemble } from './commands/assemble.js';
import { addAudit } from './commands/audit.js';
import { addBench } from './commands/bench.js';
import { addCheck } from './commands/check.js';
import { addDemo } from './commands/demo.js';
import { addDev } from './commands/dev.js';
import { addDlq } from './commands/dlq.js';
import { addDoctor } from './commands/doctor.js';
import { addEval } from './commands/eval.js';
import { addIndex } from './commands/index.js';
import { addKeys } from './commands/keys.js';
import { addLedger } from './commands/ledger.js';
import { addLookup } from './commands/lookup.js';
import { addMcp } from './commands/mcp.js';
import { addOffsets } from './commands/offsets.js';
import { addPrompts } from './commands/prompts.js';
import { addReview } from './commands/review.js';
import { addReplay } from './commands/replay.js';
import { addSchemas } from './commands/schemas.js';
import { addSubmit } from './commands/submit.js';
import { addTail } from './commands/tail.js';
import { addTokens } from './commands/tokens.js';
import { addTopics } from './commands/topics.js';
import { addTrace } from './commands/trace.js';
import { addTrail } from './commands/trail.js';
import { addTry } from './commands/try.js';
import { addUp } from './commands/up.js';
import { withEnvFile } from './env-file.js';
import type { ExitCode } from './exit-codes.js';
import type { CliIo } from './io.js';
import { reportError } from './render/error.js';
import { defaultData } from './with-line.js';

/** Every command, each once, in the order of `proofline --help`. */
const commands: readonly AddCommand[] = [
  addDemo,
  addDev,
  addUp,
  addIndex,
  addLookup,
  addSubmit,
  addAssemble,
  addReview,
  addTrail,
  addTrace,
  addReplay,
  addTail,
  addCheck,
  addTry,
  addEval,
  addDoctor,
  addTopics,
  addOffsets,
  addSchemas,
  addPrompts,
  addMcp,
  addDlq,
  addLedger,
  addAudit,
  addKeys,
  addTokens,
  addBench,
];

const HELP = `
Examples:
  proofline demo                                 see a forged report caught and a true one published
  proofline dev --docs ./runbooks                run the line over your own documents
  proofline lookup "gateway timeout" --run r1    ask, as an agent would
  proofline submit report.json --run r1          hand in a report that cites what was found

Exit codes: 0 fine; 1 the answer is no, or the work failed; 2 your input; 3 your environment.
`;

/**
 * Runs one command line (without node and script) to its end. Never rejects: what goes wrong is written to the io,
 * and told by the exit code.
 */
export async function runCli(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  let code: ExitCode = 0;
  // A command line that cannot be read has no options yet.
  const json = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined).includes('--json');
  try {
    const program = createProgram(withEnvFile(argv, io), (given) => (code = given));
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      // Without a command the help was shown already.
      if (error.code === 'commander.help') return 2;
      return reportError(io, usageError(error), json);
    }
    // Who stopped it knows.
    if (io.signal.aborted && error === io.signal.reason) return 1;
    return reportError(io, error, json);
  }
}

function createProgram(io: CliIo, exit: (code: ExitCode) => void): Command {
  const program = new Command('proofline')
    .description('The evidence chain for RAG agents: proves every citation before anything is published.')
    .version(VERSION, '--version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .option('--data <DIR>', 'the data folder', defaultData(io.env))
    .option('--json', 'answer in JSON')
    .option('--env-file <FILE>', 'read settings, as NAME=value lines, from a file; the environment wins')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => io.out(text),
      writeErr: (text) => io.err(text),
      // Said by `reportError`, in its own form.
      outputError: () => undefined,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .exitOverride()
    .addHelpText('after', HELP);
  const global = (): GlobalOptions => {
    const { data, json } = program.opts<{ data: string; json?: true }>();
    return { data, json: json === true };
  };
  const context: CommandContext = { io, global, exit };
  for (const add of commands) add(program, context);
  return program;
}

/** `error: unknown option '--jsno'\n(Did you mean --json?)` as one of our own. */
function usageError(error: CommanderError): ProoflineError {
  const problem = error.message.replace(/^error: /, '').replaceAll('\n', ' ');
  return new ProoflineError('PL_INPUT_INVALID', { problem }, { cause: error });
}
