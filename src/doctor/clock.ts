import { ok, warning, type Check } from './check.js';

const TOLERANCE_MS = 5000;

/**
 * Another clock, in epoch milliseconds, beside this machine's before and after it was asked: within the two it cannot
 * be told from it.
 */
export function clockCheck(
  whose: string,
  theirs: number,
  { before, after }: { readonly before: number; readonly after: number },
): Check {
  if (!Number.isFinite(theirs)) return warning('clock', `${whose} does not say what time it is`, FIX);
  const ahead = theirs > after ? theirs - after : Math.min(0, theirs - before);
  if (Math.abs(ahead) <= TOLERANCE_MS) return ok('clock', `that of ${whose} goes with this one`);
  const seconds = Math.round(Math.abs(ahead) / 1000);
  const finding = `that of ${whose} is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} this machine's`;
  return warning('clock', finding, FIX);
}

const FIX = 'Let every machine take its time from NTP: evidence expires by their clocks.';
