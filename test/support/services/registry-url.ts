/** The root of the Confluent-compatible API. */
export function registryUrl(host: string, port: number): string {
  return `http://${host}:${port}/apis/ccompat/v7`;
}
