import { blankInvocation } from '../contracts/blank-invocation.js';
import type { Invocation } from './station.js';

type Required = 'kind' | 'outcome' | 'countIn' | 'countOut';

/** An audit event with what is not said left empty. `facts` hold no evidence text. */
export function invocation(
  fields: Pick<Invocation, Required> & Partial<Omit<Invocation, Required | 'factsJson'>> & { facts?: object },
): Invocation {
  const { facts = {}, ...rest } = fields;
  return { ...blankInvocation, factsJson: JSON.stringify(facts), ...rest };
}
