/** How long a condition may take to come true before the test fails. */
const DEADLINE_MS = 15_000;

/**
 * Resolves as soon as `condition` answers with anything but false, null or undefined, with that answer; fails
 * when it has not by the deadline, or at once when it throws.
 */
export async function waitUntil<T>(
  what: string,
  condition: () => T | Promise<T>,
  deadlineMs = DEADLINE_MS,
): Promise<NonNullable<T>> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const answer = await condition();
    if (answer !== false && answer !== null && answer !== undefined) return answer;
    if (performance.now() > end) throw new Error(`Not within ${deadlineMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** A promise that somebody else settles. */
export interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

export function createGate(): Gate {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
