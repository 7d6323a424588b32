import type { ServiceName } from './images.js';
import { choosePlace, type Place } from './place.js';
import type { Service } from './service.js';

/** The two ways to have a service. */
export interface Ways<Options> {
  /** Why it cannot be had as a process; null where it can. */
  readonly processMissing: () => Promise<string | null>;
  readonly startProcess: (options: Options) => Promise<Service>;
  readonly startContainer: (image: string, options: Options) => Promise<Service>;
}

export interface ChosenService<Options> {
  readonly missing: () => Promise<string | null>;
  readonly start: (options: Options) => Promise<Service>;
}

/** A service that runs in a container or as a process, whichever this machine can; it is looked into once. */
export function chooseService<Options>(name: ServiceName, ways: Ways<Options>): ChosenService<Options> {
  let chosen: Promise<Place> | null = null;
  const place = (): Promise<Place> => (chosen ??= lookInto(name, ways.processMissing));
  return {
    async missing() {
      const found = await place();
      return found.kind === 'missing' ? found.reason : null;
    },
    async start(options) {
      const found = await place();
      switch (found.kind) {
        case 'container':
          return ways.startContainer(found.image, options);
        case 'process':
          return ways.startProcess(options);
        case 'missing':
          throw new Error(`${name} cannot be started here: ${found.reason}`);
      }
    },
  };
}

async function lookInto(name: ServiceName, processMissing: Ways<never>['processMissing']): Promise<Place> {
  const { engineMissing, imageMissing } = await import('./engine.js');
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  return choosePlace(name, { engineMissing, imageMissing, processMissing, say });
}
