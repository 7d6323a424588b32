import { fastify } from 'fastify';
import { readConfig } from '../config/config.js';
import { createGateway } from './gateway.js';

/** The description of the API as every gateway serves it at /openapi.json. */
export async function openApiDocument(): Promise<object> {
  const { config } = readConfig({});
  const app = fastify();
  const gateway = createGateway({
    config: config.gateway,
    draftBytes: config.guard.limits.draftBytes,
    line: () => null,
  });
  await app.register(gateway.routes);
  const { body } = await app.inject({ url: '/openapi.json', headers: { host: 'localhost' } });
  await app.close();
  return JSON.parse(body) as object;
}
