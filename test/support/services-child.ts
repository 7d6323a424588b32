/** Starts a service, says `started PID` of each of its processes, and waits to be killed. */
import { join } from 'node:path';
import { processTree } from './services/process-tree.js';
import { startService } from './services/service-process.js';
import { waitUntil } from './wait.js';

const [folder = '', signal] = process.argv.slice(2);
const service = startService({
  command: 'sh',
  args: ['-c', 'sleep 600 & sleep 600'],
  cwd: folder,
  log: join(folder, 'service.log'),
});
// The shell that keeps it, its watcher and that one's `cat`, the service and its two children.
const tree = await waitUntil('all run', () => {
  const pids = processTree(service.pid);
  return pids.length >= 6 ? pids : null;
});
if (signal !== undefined) service.signal(signal as NodeJS.Signals);
process.stdout.write(`started ${tree.join(' ')}\n`);
setInterval(() => undefined, 1000);
