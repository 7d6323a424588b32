/**
 * Tells whether a path matches a glob: `?` is one character but `/`, `*` any number of them, `**` any number of
 * any, and `**` with `/` behind it also nothing. All ways to match are followed at once, so that no glob takes longer than its length times
 * the path's.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const steps = stepsOf(glob);
  return (path) => {
    let states = skipAhead(steps, new Set([0]));
    for (const character of path) {
      states = skipAhead(steps, advance(steps, states, character));
      if (states.size === 0) return false;
    }
    return states.has(steps.length);
  };
}

/** `any` repeats over everything, `some` over everything but `/`. */
type Step = { readonly repeat: 'any' | 'some' } | { readonly one: string | null };

function stepsOf(glob: string): readonly Step[] {
  return Array.from(glob.matchAll(/\*\*\/?|\*|[^*]/gu), ([mark]) => {
    if (mark.startsWith('**')) return { repeat: 'any' };
    if (mark === '*') return { repeat: 'some' };
    return { one: mark === '?' ? null : mark };
  });
}

function advance(steps: readonly Step[], states: ReadonlySet<number>, character: string): Set<number> {
  const next = new Set<number>();
  for (const state of states) {
    const step = steps[state];
    if (step === undefined) continue;
    if ('repeat' in step) {
      if (step.repeat === 'any' || character !== '/') next.add(state);
    } else if (step.one === null ? character !== '/' : character === step.one) {
      next.add(state + 1);
    }
  }
  return next;
}

/** A repeating step may also be over. */
function skipAhead(steps: readonly Step[], states: Set<number>): Set<number> {
  for (const state of states) {
    const step = steps[state];
    if (step !== undefined && 'repeat' in step) states.add(state + 1);
  }
  return states;
}
