import type { HeldEntry } from '../../line/held-drafts.js';
import type { PersonDecision } from '../../contracts/generated.js';
import type { AddCommand, CommandContext } from '../command.js';
import { inputInvalid } from '../input.js';
import { print } from '../print.js';
import { atDoors, configOf } from '../with-line.js';

const HELP = `
Examples:
  proofline review                                     the drafts that wait for a person, oldest first
  proofline review show run-7 draft-2                  one of them: what it says, what was found, what was shown
  proofline review approve draft-2 --by alice --reason "Checked against the runbook."
  proofline review reject run-7 draft-2 --by alice --reason "The runbook says may, not will."

An approved draft is published, with the name and the reason. A rejected one is asked for again while the run has
attempts left, and the reason is told to the model; else the run falls back. The first decision counts.
Exit code 1 where the draft is not held, where it cannot be approved, or where somebody had decided first.
`;

interface DecisionOptions {
  readonly by: string;
  readonly reason: string;
}

const IDS = 'DRAFT, or RUN DRAFT where several runs have one of that name';

export const addReview: AddCommand = (program, context) => {
  const review = program
    .command('review')
    .description('drafts that wait for a person: look into them, decide')
    .addHelpText('after', HELP);
  review
    .command('list', { isDefault: true })
    .description('what is held, since when and why')
    .action(() => list(context));
  review
    .command('show')
    .description('one held draft, with all that its decision rests on')
    .argument('<ids...>', IDS)
    .action((ids: string[]) => show(ids, context));
  for (const [name, decision, description] of DECISIONS)
    review
      .command(name)
      .description(description)
      .argument('<ids...>', IDS)
      .requiredOption('--by <NAME>', 'who decides; it is published')
      .requiredOption('--reason <TEXT>', 'why; it is published and, of a rejection, told to the model')
      .action((ids: string[], options: DecisionOptions) => decide(ids, decision, options, context));
};

const DECISIONS: readonly (readonly [string, PersonDecision, string])[] = [
  ['approve', 'APPROVE', 'publish a held draft'],
  ['reject', 'REJECT', 'ask for a better one, or let the run fall back'],
];

async function list(context: CommandContext): Promise<void> {
  const { readingLine } = await import('../reading-line.js');
  const { listHeld } = await import('../../line/held-drafts.js');
  const { heldJson, heldTable } = await import('../render/review.js');
  const { drafts, unreadable } = await readingLine(context, ({ bus, codec }) => listHeld(bus, codec));
  print(
    context,
    () => ({ held: drafts.map(heldJson), unreadable }),
    (paint, typed) => heldTable(drafts, paint, typed),
  );
  if (unreadable > 0)
    context.io.err(`warning: what ${unreadable} runs have come to cannot be read by this version\n`);
}

async function show(ids: readonly string[], context: CommandContext): Promise<void> {
  const entry = await heldEntry(ids, context);
  const { review } = await configOf(context);
  const { heldDraftJson, heldDraftPage } = await import('../render/review-show.js');
  const shown = { entry, maxAttempts: review.maxAttempts, now: Date.now() };
  print(
    context,
    () => heldDraftJson(shown),
    (paint, typed) => heldDraftPage(shown, paint, typed),
  );
}

async function decide(
  ids: readonly string[],
  decision: PersonDecision,
  { by, reason }: DecisionOptions,
  context: CommandContext,
): Promise<void> {
  const { runId, draftId } = await namesOf(ids, context);
  const request = { runId, draftId, decision, by, reason };
  const answer = await atDoors(context, 'a line', (client) => client.decide(request));
  const { decisionPage } = await import('../render/review.js');
  if (!answer.counted) context.exit(1);
  print(
    context,
    () => answer,
    (paint, typed) => decisionPage(answer, paint, typed),
  );
}

interface DraftName {
  readonly runId: string;
  readonly draftId: string;
}

/** The draft that is meant: a name alone must be that of one held draft. */
async function namesOf(ids: readonly string[], context: CommandContext): Promise<DraftName> {
  const [first = '', second] = ids;
  if (ids.length > 2) throw inputInvalid('give DRAFT, or RUN DRAFT');
  if (second !== undefined) return { runId: first, draftId: second };
  const { readingLine } = await import('../reading-line.js');
  const { listHeld } = await import('../../line/held-drafts.js');
  const { drafts } = await readingLine(context, ({ bus, codec }) => listHeld(bus, codec));
  const named = drafts.filter(({ draftId }) => draftId === first);
  const [only] = named;
  if (only !== undefined && named.length === 1) return { runId: only.runId, draftId: first };
  if (named.length === 0) return notHeld({ runId: '(any)', draftId: first });
  const runs = named.slice(0, RUNS_NAMED).map(({ runId }) => runId);
  throw inputInvalid(`${named.length} runs have a held draft ${first}: ${runs.join(', ')}; give RUN DRAFT`);
}

const RUNS_NAMED = 10;

async function heldEntry(ids: readonly string[], context: CommandContext): Promise<HeldEntry> {
  const name = await namesOf(ids, context);
  const { readingLine } = await import('../reading-line.js');
  const { heldOf } = await import('../../line/held-drafts.js');
  const entry = await readingLine(context, ({ bus, codec }) => heldOf(bus, codec, name.runId));
  return entry?.held.verdict.draftId === name.draftId ? entry : notHeld(name);
}

async function notHeld({ runId, draftId }: DraftName): Promise<never> {
  const { ProoflineError } = await import('../../contracts/errors.js');
  const [run_id, draft_id] = [runId.slice(0, 128), draftId.slice(0, 128)];
  throw new ProoflineError('PL_REVIEW_REFUSED', { run_id, draft_id, problem: 'it is not held' });
}
