/** Soaks a line in Kafka while things fail; `npm run soak -- --help`. */
import { randomInt } from 'node:crypto';
import { toSnakeJson } from '../src/contracts/json.js';
import { lineServicesMissing } from '../test/support/kafka-line-services.js';
import { SOAK_HELP, soakArguments, type SoakArguments } from '../test/support/soak/options.js';
import { renderReport } from '../test/support/soak/report.js';
import { soak, startSoakServices } from '../test/support/soak/soak.js';

const FOUND = 1;
const USAGE = 2;
const CANNOT_RUN = 3;
const INTERRUPTED = 130;
/** Fields whose keys are data. */
const NAMED: ReadonlySet<string> = new Set(['verdicts', 'incidents', 'retriedFor']);

process.exitCode = await main(soakArguments(process.argv.slice(2), randomInt(2 ** 32)));

/** The exit code. */
async function main(wanted: SoakArguments): Promise<number> {
  switch (wanted.kind) {
    case 'help':
      process.stdout.write(SOAK_HELP);
      return 0;
    case 'wrong':
      tell(`${wanted.problem}\n\n${SOAK_HELP}`);
      return USAGE;
    case 'soak':
      break;
  }
  const missing = await lineServicesMissing();
  if (missing !== null) {
    tell(`The services cannot be had here: ${missing}`);
    return CANNOT_RUN;
  }
  tell('starting Kafka, Redis, a registry and PostgreSQL …');
  const services = await startSoakServices().catch((error: unknown) => tell(String(error)));
  if (services === undefined) return CANNOT_RUN;
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => stopping.abort(new Error(`interrupted by ${signal}`)));
  try {
    const report = await soak(services, wanted.options, { tell, signal: stopping.signal });
    process.stdout.write(
      wanted.options.json ? `${JSON.stringify(toSnakeJson(report, NAMED))}\n` : renderReport(report),
    );
    return report.findings.length === 0 ? 0 : FOUND;
  } catch (error) {
    tell(error instanceof Error && !stopping.signal.aborted ? (error.stack ?? '') : String(error));
    return stopping.signal.aborted ? INTERRUPTED : FOUND;
  }
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}
