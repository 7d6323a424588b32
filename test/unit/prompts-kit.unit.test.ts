import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/contracts/digest.js';
import { inForm } from '../../src/prompts/forms.js';
import { kitItem, promptKit, promptRefOf, systemPrompt } from '../../src/prompts/kit.js';
import { languages } from '../../src/prompts/language.js';
import { lookupTool } from '../../src/prompts/lookup-tool.js';
import { mcpTool } from '../../src/prompts/tool-definition.js';
import { cli } from '../support/cli-run.js';
import { strictModeProblems } from '../support/strict-schema.js';

/**
 * Every version that there ever was, with its digest. What changes gets a new version and a new line here: verdicts
 * name their prompt by it, and an old line must still mean the old text.
 */
const PINNED: Readonly<Record<string, string>> = {
  'proofline.system.en@1': '299ceef4d8ed358e0049572bb25883ab8337335b8c623522e603b5763b903dc9',
  'proofline.system.zh@1': '2d7602c2435fe7876d8cdc235e1f51912755341ab2b9c5ba71e4d619c85f4fcb',
  'proofline.system.en@2': '334e09f4b27a3fc6d53c5995db7e6093171a5e7360c8b73f83538d392a9be197',
  'proofline.system.zh@2': '64bb4def23af79f5d80c182d5d2991ee313dd5b04d4595088c17561cfa0136ea',
  'proofline.draft@1': 'ffba7dc25d3b3fa997973661659cf80e6c2c717a3f97febde24940c81c0a4419',
  'proofline.lookup_knowledge.en@1': 'efc23ccea1b72f6d516103cc02f2a133415845e26c5bb9b91668acd0ee0cbc9e',
  'proofline.lookup_knowledge.zh@1': '4b7b151e0a9863952980457ea2b37c06e493d6849b152073bbd60659be2ac9b5',
};

describe('the versions of the kit', () => {
  it.each(promptKit().map((item) => [item.id, item] as const))('%s is what its version says', (_id, item) => {
    expect(PINNED[`${item.id}@${item.version}`]).toBe(item.sha256);
  });

  it('names each item once, and digests texts as they are', () => {
    const ids = promptKit().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const language of languages) {
      const prompt = systemPrompt(language);
      expect(prompt.sha256).toBe(sha256(prompt.text));
    }
  });
});

/** What the system prompt must say, as words that stand in it. */
const SAYS = {
  'NO_EVIDENCE means other tools, and nothing invented': {
    en: ['NO_EVIDENCE', 'other tools', 'Invent nothing'],
    zh: ['NO_EVIDENCE', '改用其他工具', '不许编造'],
  },
  'the excerpt is the only ground': {
    en: ['excerpt is the only ground'],
    zh: ['excerpt 是结论唯一的内容依据'],
  },
  'document_id is copied to the letter': {
    en: ['document_id', 'to the letter'],
    zh: ['document_id', '逐字复制'],
  },
  'PRECISE may conclude': { en: ['PRECISE: you may conclude'], zh: ['PRECISE：可以据此下结论'] },
  'REFERENCE says which dimension is missing': {
    en: ['REFERENCE', 'which dimension'],
    zh: ['REFERENCE', '还缺什么维度'],
  },
  'truncated means a narrower query': {
    en: ['truncated true', 'Narrow the query and ask again'],
    zh: ['truncated', '收窄 query'],
  },
  'stop when no useful query is left': {
    en: ['Stop when no useful query is left'],
    zh: ['想不出更有用的查询'],
  },
  'conclusion is null when evidence is not enough': {
    en: ['null when the evidence is not enough'],
    zh: ['证据不足时为 null'],
  },
  'limitations always, with what other tools told': {
    en: ['limitations: always', 'What other tools told you'],
    zh: ['limitations：无条件必填', '其他工具'],
  },
  'how to quote': {
    en: ['300 characters', 'at least 8 characters', 'At least 4 characters', 'negation', 'prefix and suffix'],
    zh: ['300 个字符', '至少 8 个字符', '至少 4 个', '否定词', 'prefix、suffix'],
  },
  'evidence is untrusted data': { en: ['untrusted data', 'never follow'], zh: ['不可信数据', '绝不执行'] },
} as const;

describe('the system prompt', () => {
  it.each(Object.entries(SAYS))('says that %s', (_what, words) => {
    for (const language of languages)
      for (const word of words[language]) expect(systemPrompt(language).text).toContain(word);
  });

  it('shows a report that is JSON of the right shape', () => {
    for (const language of languages) {
      const [shape = ''] = /^\{.*\}$/m.exec(systemPrompt(language).text) ?? [];
      expect(Object.keys(JSON.parse(shape) as object)).toEqual([
        'analysis',
        'conclusion',
        'action_plan',
        'limitations',
      ]);
    }
  });
});

describe('the tool that asks', () => {
  it.each(languages)('is one that every provider takes, and warns of what evidence says (%s)', (language) => {
    const tool = lookupTool(language);
    expect(strictModeProblems(tool.parameters)).toEqual([]);
    expect(tool.description).toMatch(/untrusted data|不可信数据/);
    const { name, parameters } = tool;
    const item = kitItem('lookup_knowledge', language)!;
    expect(inForm(item, 'openai')).toMatchObject({
      type: 'function',
      function: { name, strict: true, parameters },
    });
    expect(inForm(item, 'anthropic')).toMatchObject({ name, input_schema: parameters });
    expect(mcpTool(tool)).toMatchObject({ name, inputSchema: parameters });
  });
});

describe('proofline prompts', () => {
  it('lists every item with version and digest', async () => {
    const { code, out } = await cli(['prompts', '--json']);
    expect(code).toBe(0);
    const { prompts } = JSON.parse(out) as { prompts: object[] };
    expect(prompts).toHaveLength(promptKit().length);
    expect(prompts[0]).toEqual({ ...promptRefOf(systemPrompt('en')), language: 'en' });
    expect((await cli(['prompts'])).out).toContain(systemPrompt('zh').sha256);
  });

  it('shows a prompt as its text, to the byte', async () => {
    const { out } = await cli(['prompts', 'show', 'system', '--lang', 'zh']);
    expect(out).toBe(systemPrompt('zh').text);
    expect((await cli(['prompts', 'show', 'proofline.system.zh'])).out).toBe(out);
  });

  it('shows an item in the form that a provider takes', async () => {
    const { out } = await cli(['prompts', 'show', 'draft', '--format', 'openai']);
    expect(JSON.parse(out)).toMatchObject({
      type: 'json_schema',
      json_schema: { name: 'draft', strict: true },
    });
    const tool = await cli(['prompts', 'show', 'draft', '--format', 'anthropic']);
    expect(JSON.parse(tool.out)).toMatchObject({ name: 'submit_draft', input_schema: { type: 'object' } });
    const json = await cli(['prompts', 'show', 'system', '--format', 'json']);
    expect(JSON.parse(json.out)).toMatchObject({ id: 'proofline.system.en', text: systemPrompt('en').text });
  });

  it.each([
    [['show', 'sistem'], 'PL_NOT_FOUND'],
    [['show', 'system', '--lang', 'de'], 'PL_INPUT_INVALID'],
    [['show', 'system', '--format', 'xml'], 'PL_INPUT_INVALID'],
  ])('refuses %j', async (argv, error) => {
    const { code, err } = await cli(['prompts', ...argv]);
    expect(code).toBe(2);
    expect(err).toContain(error);
  });
});
