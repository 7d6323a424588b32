import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { draftSchema } from '../../src/guard/draft-schema.js';
import { readDraft } from '../../src/guard/draft.js';
import { defaultGuardLimits } from '../../src/guard/limits.js';
import { draftOutputSchema } from '../../src/prompts/draft-output-schema.js';
import { valuesOf } from '../support/strict-drafts.js';
import { strictModeProblems } from '../support/strict-schema.js';

const schema = draftOutputSchema();

describe('the schema of the draft for structured outputs', () => {
  it('is one that every provider takes', () => {
    expect(strictModeProblems(schema)).toEqual([]);
  });

  it('lets a model write nothing that the guard would call malformed', () => {
    const fits = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema);
    fc.assert(
      fc.property(valuesOf(schema), (draft) => {
        expect(fits(draft)).toBe(true);
        expect(draftSchema().safeParse(draft).error).toBeUndefined();
        expect(readDraft(JSON.stringify(draft), defaultGuardLimits)).toHaveProperty('draft');
      }),
    );
  });

  it('has every field that the guard knows, in its order', () => {
    const names = (of: unknown): unknown[] =>
      typeof of === 'object' && of !== null
        ? Object.entries(of).flatMap(([key, value]) =>
            key === 'properties'
              ? Object.entries(value as object).flatMap(([name, field]) => [name, ...names(field)])
              : names(value),
          )
        : [];
    expect(names(schema)).toEqual([
      ...['analysis', 'id', 'kind', 'text', 'tool_call_ids', 'document_ids'],
      ...['quotes', 'document_id', 'text', 'prefix', 'suffix'],
      ...['conclusion', 'text', 'based_on_analysis_ids'],
      ...['action_plan', 'text', 'based_on_analysis_ids', 'limitations'],
    ]);
  });

  it('says in words what the subset cannot say', () => {
    const text = JSON.stringify(schema);
    for (const limit of [64, 32]) expect(text).toContain(`At most ${limit}.`);
  });
});

describe('the check of the subset', () => {
  const bad = {
    'an optional field': {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: [],
      additionalProperties: false,
    },
    'other fields': { type: 'object', properties: {}, required: [] },
    'a limit': {
      type: 'object',
      properties: { a: { type: 'array', items: { type: 'string' }, maxItems: 3 } },
      required: ['a'],
      additionalProperties: false,
    },
    'a root that is a union': { anyOf: [{ type: 'null' }] },
  };
  it.each(Object.entries(bad))('refuses %s', (_name, each) => {
    expect(strictModeProblems(each)).not.toEqual([]);
  });
});
