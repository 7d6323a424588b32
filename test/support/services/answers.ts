import { connect } from 'node:net';

/**
 * True once the service sends something back that `expected` accepts. A port that can be connected to is not enough:
 * a container's takes connections before its service does.
 */
export function answers(
  host: string,
  port: number,
  request: Uint8Array | string,
  expected: (reply: Buffer) => boolean = () => true,
): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 1000 });
    const done = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.on('connect', () => socket.write(request));
    socket.on('data', (data) => done(expected(data)));
    for (const event of ['error', 'timeout', 'close'] as const) socket.on(event, () => done(false));
  });
}
