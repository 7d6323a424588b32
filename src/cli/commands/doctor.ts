import type { AddCommand, CommandContext } from '../command.js';
import { print } from '../print.js';

const HELP = `
Examples:
  proofline doctor                        look at everything that the line needs
  proofline doctor --data /var/lib/pl     of another data folder
  proofline doctor --json                 the findings as JSON

Where PROOFLINE_KAFKA_BROKERS is set, it looks at the line in Kafka: brokers, topics, rights, offsets, transactions that
were left open, the schema registry, Redis, PostgreSQL, keys and the HTTP port, at everything at once, each for 10 s at
most. Run it as the user, and on the machine, that \`proofline up\` runs as.

Each finding says how to mend it. \`ok\` is well, \`warn\` is worth knowing, \`fail\` is in the way of the line.
It changes nothing, and can be run beside a running line. Exit code 3 when a finding is in the way of the line.
`;

export const addDoctor: AddCommand = (program, context) => {
  program
    .command('doctor')
    .description('see whether everything is well, and how to mend what is not')
    .addHelpText('after', HELP)
    .action(() => doctor(context));
};

async function doctor(context: CommandContext): Promise<void> {
  const { examine } = await import('../doctor/examine.js');
  const { doctorPage } = await import('../render/doctor.js');
  const checks = await examine(context.io, context.global().data, Date.now());
  if (checks.some(({ status }) => status === 'fail')) context.exit(3);
  print(
    context,
    () => ({ checks: checks.map(({ name, status, finding, fix }) => ({ name, status, finding, fix })) }),
    (paint) => doctorPage(checks, paint),
  );
}
