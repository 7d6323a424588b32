import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { VERSION } from '../version.js';

/** The description of the API, generated from the schemas of the routes that are registered after it. */

const DESCRIPTION = `Ask the knowledge base, hand in drafts, follow runs. Errors are RFC 9457 problems with a code (docs/errors.md).
Asking or handing in the same again under the same id is safe: it gives the same answer.`;

type Document = ReturnType<typeof jsonSchemaTransformObject>;

/** Schemas come twice, as what is read and as what is written: most are one of the two. */
function withoutUnused(document: Document): Document {
  const { components, ...rest } = document as { readonly components?: { readonly schemas?: object } };
  const schemas = (components?.schemas ?? {}) as Readonly<Record<string, object>>;
  const used = new Set<string>();
  const use = (part: object): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(REFERENCE)) {
      const schema = schemas[name];
      if (schema === undefined || used.has(name)) continue;
      used.add(name);
      use(schema);
    }
  };
  use(rest);
  const kept = Object.entries(schemas).filter(([name]) => used.has(name));
  return { ...rest, components: { ...components, schemas: Object.fromEntries(kept) } };
}

const REFERENCE = /"#\/components\/schemas\/(\w+)"/g;

/** Nothing from elsewhere, nothing inline but the styles that the page sets itself. */
const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** `/openapi.json`, and `/docs` to read: everything comes from this process. */
export async function documentRoutes(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Proofline',
        version: VERSION,
        description: DESCRIPTION,
        license: { name: 'Apache-2.0' },
      },
      tags: [
        { name: 'lookups', description: 'Questions to the knowledge base.' },
        { name: 'drafts', description: 'Reports, and what becomes of them.' },
        { name: 'runs', description: 'What happened in a run.' },
      ],
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer', description: 'As `proofline tokens create` prints it.' },
        },
      },
      security: [{ token: [] }],
    },
    transform: jsonSchemaTransform,
    transformObject: (document) => withoutUnused(jsonSchemaTransformObject(document)),
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: CSP,
    uiConfig: { docExpansion: 'list', deepLinking: true, validatorUrl: null },
    logLevel: 'silent',
  });
  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) => reply.send(app.swagger()));
}
