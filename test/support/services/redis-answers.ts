import { answers } from './answers.js';

/** True once Redis takes commands: it has read its dump by then. With a password it is up as well. */
export function redisAnswers(host: string, port: number): Promise<boolean> {
  return answers(host, port, 'PING\r\n', (reply) => /^(\+PONG|-NOAUTH)/.test(String(reply)));
}
