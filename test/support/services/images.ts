export type ServiceName = 'kafka' | 'redis' | 'registry' | 'postgres';

const IMAGES: Readonly<Record<ServiceName, string>> = {
  kafka: 'apache/kafka:4.1.1',
  redis: 'redis:7.4',
  registry: 'apicurio/apicurio-registry:3.0.9',
  postgres: 'postgres:16.4',
};

/** The image of a service; the variable PROOFLINE_TEST_IMAGE_NAME gives another, with its tag. */
export function imageOf(name: ServiceName, environment: NodeJS.ProcessEnv = process.env): string {
  const named = environment[`PROOFLINE_TEST_IMAGE_${name.toUpperCase()}`];
  return named === undefined || named === '' ? IMAGES[name] : named;
}
