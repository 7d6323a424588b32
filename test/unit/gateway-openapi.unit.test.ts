import { Validator } from '@seriousme/openapi-schema-validator';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { renderOpenApi } from '../../scripts/generate-docs.js';
import { openApiDocument } from '../../src/gateway/openapi-document.js';

describe('the description of the HTTP API', () => {
  test('is valid OpenAPI 3.1', async () => {
    const document = structuredClone(await openApiDocument());
    const validator = new Validator();
    expect(await validator.validate(document as Record<string, unknown>)).toMatchObject({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  test('as it is in the docs is what the gateway serves', async () => {
    const [path, text] = await renderOpenApi();
    expect(readFileSync(path, 'utf8') === text, `${path} is stale: run npm run generate`).toBe(true);
  });

  test('names every route, and refers to nothing that is not there', async () => {
    const document = (await openApiDocument()) as {
      readonly paths: Readonly<Record<string, object>>;
      readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
    };
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining([
        '/v1/runs/{run_id}/lookups',
        '/v1/runs/{run_id}/lookups/{tool_call_id}',
        '/v1/runs/{run_id}/drafts',
        '/v1/runs/{run_id}/drafts/{draft_id}',
        '/v1/runs/{run_id}/drafts/{draft_id}/decisions',
        '/v1/runs/{run_id}/trail',
        '/v1/runs/{run_id}/events',
      ]),
    );
    const text = JSON.stringify(document);
    const named = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name ?? '');
    expect(Object.keys(document.components.schemas).sort()).toEqual([...new Set(named)].sort());
  });
});
