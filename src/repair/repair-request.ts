import type { RepairRequested } from '../contracts/generated.js';
import { mendables, type RepairInput } from './findings.js';
import { repairPrompt } from './repair-prompt.js';

/** A RepairRequested without its envelope: what is to be mended, and the prompt that says so in both languages. */
export function repairRequest(
  input: RepairInput,
): Omit<RepairRequested, 'eventId' | 'causedBy' | 'runId' | 'occurredAt'> {
  const { verdict, attemptsLeft, deadline } = input;
  const { listed, more } = mendables(input);
  return {
    draftId: verdict.draftId,
    attempt: verdict.attempt,
    attemptsLeft,
    findings: listed.map(({ finding }) => finding),
    more,
    promptZh: repairPrompt(input, listed, more, 'zh'),
    promptEn: repairPrompt(input, listed, more, 'en'),
    deadline,
    ext: {},
  };
}
