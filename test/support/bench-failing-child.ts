/** A process that is measured and goes wrong as its task says: for the tests of what its parent makes of it. */
import { ProoflineError } from '../../src/contracts/errors.js';
import { serveParent } from '../../src/bench/serve-parent.js';

export interface FailingTask {
  readonly begin: 'begins' | 'refuses';
}

serveParent((task, fail) => {
  if ((task as FailingTask).begin === 'refuses')
    return Promise.reject(new ProoflineError('PL_BUS_DOWN', { problem: 'nobody listens' }));
  return Promise.resolve({
    commands: {
      die: () => process.exit(7),
      fail() {
        fail(new ProoflineError('PL_LEDGER_BEHIND', { problem: 'it went back' }));
        return Promise.resolve();
      },
    },
    stop: () => Promise.resolve(),
  });
});
