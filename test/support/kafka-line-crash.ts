import { createRequire } from 'node:module';
// Loaded first: what it corrects must not have been loaded before.
import '../../src/bus/kafka/load-kafkajs.js';

/**
 * Ends or stops this process in the middle of a station's step, by a hook in the requests of kafkajs: `sent`, when the
 * records are with the broker and the offsets are not; `offsets`, when both are and nothing is committed; `committed`,
 * when the broker has committed and the process does not know it yet.
 */
export interface CrashPlan {
  /** The consumer group, without the prefix. */
  readonly station: string;
  readonly moment: CrashMoment;
  /** How many of its steps go well before; null waits for a SIGHUP, and takes the next. */
  readonly after: number | null;
  readonly signal: 'SIGKILL' | 'SIGSTOP';
}

export const crashMoments = ['sent', 'offsets', 'committed'] as const;
export type CrashMoment = (typeof crashMoments)[number];

interface TransactionRequest {
  readonly transactionalId: string;
  readonly transactionResult?: boolean;
}
type Send = (this: unknown, request: TransactionRequest) => Promise<unknown>;

/** @param tell is told right before */
export function crashAt(plan: CrashPlan, prefix: string, tell: () => void): void {
  const load = createRequire(import.meta.url);
  const { prototype } = load('kafkajs/src/broker') as { prototype: Record<string, Send> };
  const request = plan.moment === 'sent' ? 'txnOffsetCommit' : 'endTxn';
  const send = prototype[request]!;
  let left = plan.after ?? Infinity;
  process.on('SIGHUP', () => {
    left = 0;
    console.log('armed');
  });
  const crash = (): void => {
    tell();
    process.kill(process.pid, plan.signal);
  };
  prototype[request] = async function (sent) {
    const ofStation = sent.transactionalId.startsWith(`${prefix}${plan.station}-`);
    const due = ofStation && sent.transactionResult !== false && left-- === 0;
    if (due && plan.moment !== 'committed') crash();
    const answer = await send.call(this, sent);
    if (due && plan.moment === 'committed') crash();
    return answer;
  };
}
