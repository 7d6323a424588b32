import type { AuditReader } from '../audit/audit-store.js';
import type { Bus } from '../bus/bus.js';
import type { Codec } from '../contracts/codec.js';
import type { Emitter } from '../station/envelope.js';
import { followAnswers, type Answers } from './answers.js';
import { openDoors, type Doors } from './doors.js';

/** The doors of a line in Kafka, whose stations run in this process, in others or in both. */
export interface KafkaDoors extends Doors {
  readonly emitter: Emitter;
  readonly answers: Answers;
}

export interface KafkaDoorPorts {
  readonly bus: Bus;
  readonly codec: Codec;
  readonly audit: AuditReader;
}

/** `answers` is to be stopped before the bus is closed. */
export function openKafkaDoors({ bus, codec, audit }: KafkaDoorPorts, prefix: string): KafkaDoors {
  const answers = followAnswers(bus, codec);
  const emitter: Emitter = { station: 'door', codec, partitions: bus.partitions, prefix, now: Date.now };
  return { ...openDoors({ bus, codec, emitter, answers, audit }), emitter, answers };
}
