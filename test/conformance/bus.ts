import { afterEach, beforeEach, describe } from 'vitest';
import { exclusiveTests } from './bus-exclusive.js';
import { followTests } from './bus-follow.js';
import { handlerTests } from './bus-handlers.js';
import { laneTests } from './bus-lanes.js';
import { logTests } from './bus-logs.js';
import { stepTests } from './bus-steps.js';
import { PARTITIONS, type BusUnderTest, type MakeBus, type Subject } from './bus-subject.js';

/** What every implementation of the Bus port MUST do. */
export function busConformance(name: string, make: MakeBus): void {
  describe(`${name} conforms to the Bus port`, () => {
    let made: BusUnderTest;
    beforeEach(async () => {
      made = await make({ partitions: PARTITIONS });
    });
    afterEach(() => made.dispose());

    const subject: Subject = () => made;
    logTests(subject);
    stepTests(subject);
    laneTests(subject);
    handlerTests(subject);
    followTests(subject);
    exclusiveTests(subject);
  });
}
