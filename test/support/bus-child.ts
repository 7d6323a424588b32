/**
 * A process that opens a data folder, for tests that end it from outside: `bus-child.ts MODE FOLDER`.
 * `hold` opens it for writing and stays. `copy` appends and copies for ever, and prints what was acknowledged.
 * `fail` meets a broken disk. Each prints `open` once it has the folder, or `refused CODE`.
 */
import { openEmbeddedBus, type EmbeddedBus } from '../../src/bus/embedded/embedded-bus.js';
import { isProoflineError } from '../../src/contracts/errors.js';
import { consume, copyTo, newRecord } from './bus.js';

const [mode, folder = ''] = process.argv.slice(2);

function open(): EmbeddedBus | null {
  try {
    const bus = openEmbeddedBus({ folder, partitions: 2 });
    console.log('open');
    return bus;
  } catch (error) {
    console.log(`refused ${isProoflineError(error) ? error.code : String(error)}`);
    return null;
  }
}

async function appendForEver(bus: EmbeddedBus): Promise<void> {
  consume(bus, { group: 'copy', topics: ['raw-hits.v1'], maxRecords: 5, work: copyTo('postprocessed.v1') });
  for (let i = 0; ; i++) {
    const records = Array.from({ length: 1 + (i % 4) }, (_, n) =>
      newRecord('raw-hits.v1', i % 2, `${process.pid}-${i}-${n} ${'x'.repeat(i % 3000)}`),
    );
    const offsets = await bus.append(records);
    offsets.forEach((offset, n) => console.log(`acknowledged ${i % 2} ${offset} ${process.pid}-${i}-${n}`));
  }
}

async function failOnDisk(bus: EmbeddedBus): Promise<void> {
  await bus.writer.write(() => {
    throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' });
  });
  console.log('answered');
}

const bus = open();
if (bus !== null) {
  if (mode === 'copy') await appendForEver(bus);
  else if (mode === 'fail') await failOnDisk(bus);
  else setInterval(() => undefined, 60_000);
}
