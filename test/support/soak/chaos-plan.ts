import { seeded } from '../line-kill-plan.js';

/** What can happen, and how long it lasts at least and at most, in milliseconds. */
const CHAOS = {
  'stations-killed': [200, 3000],
  // Longer than their session, so that others take over.
  'stations-paused': [4500, 8000],
  'stations-left': [0, 2000],
  'redis-flushed': [0, 0],
  'redis-restarted': [500, 4000],
  'redis-restarted-empty': [500, 4000],
  'redis-scripts-flushed': [0, 0],
  'broker-paused': [3000, 3000],
  'broker-restarted': [500, 4000],
  'registry-paused': [2000, 6000],
  'postgres-restarted': [500, 5000],
  'foreign-transaction': [3000, 8000],
} as const satisfies Record<string, readonly [least: number, most: number]>;

export type ChaosKind = keyof typeof CHAOS;
export const chaosKinds = Object.keys(CHAOS) as readonly ChaosKind[];

export interface ChaosEvent {
  readonly kind: ChaosKind;
  /** Milliseconds after the load began. */
  readonly atMs: number;
  readonly forMs: number;
  /** Which process, or which partition: its number modulo how many there are. */
  readonly target: number;
}

/** So that there are calm latencies to compare with. */
const CALM_FIRST_MS = 10_000;
export const CALM_LAST_MS = 30_000;
const LEAST_GAP_MS = 5000;
const MOST_GAP_MS = 15_000;
const TARGETS = 840;

/** One event every 5 to 15 s, until 30 s before the end. Every kind comes before any comes again. */
export function chaosPlan(seed: number, durationMs: number): ChaosEvent[] {
  const random = seeded(seed);
  const between = (least: number, most: number): number => Math.round(least + random() * (most - least));
  const plan: ChaosEvent[] = [];
  let deck: ChaosKind[] = [];
  for (let atMs = CALM_FIRST_MS; ; atMs += between(LEAST_GAP_MS, MOST_GAP_MS)) {
    if (deck.length === 0) deck = shuffled(chaosKinds, random);
    const kind = deck.pop()!;
    const [least, most] = CHAOS[kind];
    const event = { kind, atMs, forMs: between(least, most), target: Math.floor(random() * TARGETS) };
    if (atMs + event.forMs > durationMs - CALM_LAST_MS) return plan;
    plan.push(event);
  }
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const left = [...items];
  const mixed: T[] = [];
  while (left.length > 0) mixed.push(...left.splice(Math.floor(random() * left.length), 1));
  return mixed;
}
