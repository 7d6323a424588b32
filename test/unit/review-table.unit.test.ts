import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ruleTable } from '../../src/review/rules/rule-table.js';

const folder = 'src/review/rules';
const checks = readdirSync(folder)
  .filter((name) => name.startsWith('check'))
  .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
  .join('\n');

test.each(Object.entries(ruleTable))('%s is found as the table says', (code, { status }) => {
  const found = [...checks.matchAll(/'([A-Z_]+)',\s+'([A-Z_]+)'/g)].filter((match) => match[2] === code);
  expect(found.map((match) => match[1])).toEqual([status]);
});
