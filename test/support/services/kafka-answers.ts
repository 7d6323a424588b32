import { answers } from './answers.js';

/** ApiVersions v0 of nobody: its length, key 18, version 0, correlation id 1, no client id. */
const API_VERSIONS = Buffer.from('0000000a' + '0012' + '0000' + '00000001' + 'ffff', 'hex');

/** True once Kafka takes requests. A listener with TLS answers this with an alert, which will do. */
export function kafkaAnswers(host: string, port: number): Promise<boolean> {
  return answers(host, port, API_VERSIONS);
}
