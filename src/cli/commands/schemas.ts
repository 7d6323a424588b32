import type { SchemaName } from '../../contracts/generated.js';
import { compatibilities } from '../../registry/compatibility.js';
import type { AddCommand, CommandContext } from '../command.js';
import type { RegisterArguments } from '../registry-schemas.js';

const HELP = `
Examples:
  proofline schemas                     every schema, its id in the wire format, and whether it is frozen
  proofline schemas show verdict.v1     its Avro text
  proofline schemas draft               the JSON Schema of a draft, to hand to a model
  proofline schemas agent-view          the JSON Schema of what the model is given
  proofline schemas asyncapi            every topic as an AsyncAPI 3 document
  proofline schemas check               whether any schema broke what was promised of it, and whether the
                                        registry has them, where PROOFLINE_SCHEMA_REGISTRY_URL is set
  proofline schemas check --against v1  whether they broke what they promised in that git revision
  proofline schemas register --dry-run  what would be registered; without --dry-run it is

Values begin with 0x00 and the four bytes of the id, then Avro.
`;

export const addSchemas: AddCommand = (program, context) => {
  const schemas = program
    .command('schemas')
    .description('the contracts of the topics, the draft and the agent view')
    .addHelpText('after', HELP);
  schemas
    .command('list', { isDefault: true })
    .description('every schema')
    .action(() => listSchemas(context));
  schemas
    .command('show')
    .description('the text of an Avro schema')
    .argument('<name>', 'its name, as `schemas list` has it')
    .action((name: string) => showSchema(name, context));
  schemas
    .command('draft')
    .description("the draft's JSON Schema")
    .action(() => printText('draft.v1.schema.json', context));
  schemas
    .command('agent-view')
    .description("the agent view's JSON Schema")
    .action(() => printText('agent-view.v1.schema.json', context));
  schemas
    .command('asyncapi')
    .description('the topics, what they carry and who sends and receives it, as AsyncAPI 3')
    .action(() => printAsyncApi(context));
  schemas
    .command('check')
    .description('hold the schemas of the package against the freeze lock, and the registry')
    .option('--against <REV>', 'hold them against those of a git revision instead')
    .action((options: { against?: string }) => checkSchemas(options, context));
  schemas
    .command('register')
    .description('register the schemas of all topics that the registry lacks')
    .option('--dry-run', 'only say what would be registered')
    .option('--compatibility <LEVEL>', `set on every subject: ${compatibilities.join(', ')}`)
    .action((options: RegisterArguments) => registerSchemas(options, context));
};

async function listSchemas({ io, global }: CommandContext): Promise<void> {
  const { avroSchemas } = await import('../../contracts/generated.js');
  const { localSchemaId } = await import('../../contracts/schema-ids.js');
  const { isTopicName, topics } = await import('../../contracts/topics.js');
  const { renderTable } = await import('../render/table.js');
  const rows = (Object.keys(avroSchemas) as SchemaName[]).map((name) => ({
    name,
    local_id: `0x${localSchemaId(name).toString(16)}`,
    contract: isTopicName(name) ? topics[name].contract : ('frozen' as const),
    record: avroSchemas[name].name,
    says: avroSchemas[name].doc,
  }));
  rows.sort((a, b) => (a.local_id < b.local_id ? -1 : 1));
  if (global().json) {
    io.out(`${JSON.stringify({ schemas: rows })}\n`);
    return;
  }
  const cells = rows.map(({ name, local_id: id, contract, record, says }) => [
    name,
    id,
    contract,
    record,
    says,
  ]);
  io.out(renderTable(['schema', 'local id', 'contract', 'record', 'says'], cells));
}

async function showSchema(name: string, context: CommandContext): Promise<void> {
  const { avroSchemas } = await import('../../contracts/generated.js');
  const { ProoflineError } = await import('../../contracts/errors.js');
  const file = name.replace(/\.avsc$/, '');
  if (!Object.hasOwn(avroSchemas, file))
    throw new ProoflineError('PL_NOT_FOUND', { what: `schema ${JSON.stringify(name)}` });
  await printText(`${file}.avsc`, context);
}

async function printAsyncApi(context: CommandContext): Promise<void> {
  const { asyncApi } = await import('../../asyncapi/asyncapi.js');
  const { configOf } = await import('../with-line.js');
  const { topicPrefix } = await configOf(context);
  context.io.out(`${JSON.stringify(asyncApi(topicPrefix), null, context.global().json ? 0 : 2)}\n`);
}

/** A schema is JSON already. */
async function printText(file: string, { io, global }: CommandContext): Promise<void> {
  const { schemaText } = await import('../package-schemas.js');
  const text = schemaText(file);
  io.out(global().json ? `${JSON.stringify(JSON.parse(text))}\n` : text);
}

async function checkSchemas({ against }: { against?: string }, context: CommandContext): Promise<void> {
  const { io, global, exit } = context;
  const problems = await problemsOf(against, context);
  if (problems.length > 0) exit(1);
  if (global().json) io.out(`${JSON.stringify({ kept: problems.length === 0, problems })}\n`);
  else if (problems.length === 0) io.out('Every schema is what was promised of it.\n');
  else io.out(`${problems.join('\n')}\n`);
}

async function problemsOf(against: string | undefined, { io }: CommandContext): Promise<string[]> {
  if (against !== undefined) {
    const { problemsAgainst } = await import('../schemas-at-revision.js');
    return problemsAgainst(against);
  }
  const { schemaProblems } = await import('../package-schemas.js');
  const { readConfig } = await import('../../config/config.js');
  // The client of the registry takes long to load.
  if (readConfig(io.env).config.schemaRegistry === null) return schemaProblems();
  const { problemsInRegistry } = await import('../registry-schemas.js');
  return [...schemaProblems(), ...(await problemsInRegistry(io.env))];
}

async function registerSchemas(options: RegisterArguments, context: CommandContext): Promise<void> {
  const { register } = await import('../registry-schemas.js');
  await register(options, context);
}
