/**
 * Many callers at once, in a process with connections of its own: `gateway-crowd-child PORT COUNT WAITING`. Each asks
 * one lookup and waits for a minute. Prints `crowded STATUSES` once all but WAITING are answered, and `done STATUSES`
 * when all are; STATUSES is how often each status came, as JSON, with 0 for a connection that broke.
 */
import { connect } from 'node:net';

const [port = 0, count = 0, waiting = 0] = process.argv.slice(2).map(Number);
const statuses: Record<string, number> = {};
let answered = 0;

function answer(status: string): void {
  statuses[status] = (statuses[status] ?? 0) + 1;
  answered += 1;
  if (answered === count - waiting) console.log(`crowded ${JSON.stringify(statuses)}`);
  if (answered === count) console.log(`done ${JSON.stringify(statuses)}`);
}

for (let i = 0; i < count; i++) {
  const body = JSON.stringify({ tool_call_id: `call-${i}`, query: 'gateway timeout' });
  const head = `POST /v1/runs/run-${i % 500}/lookups?wait=60 HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n`;
  const text = `${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const socket = connect(port, '127.0.0.1', () => void socket.write(text));
  let status = '0';
  socket.on('data', (chunk) => {
    if (status === '0') status = /^HTTP\/1\.1 (\d{3})/.exec(chunk.toString('latin1'))?.[1] ?? '0';
  });
  socket.on('error', () => undefined);
  socket.once('close', () => answer(status));
}
