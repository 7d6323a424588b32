import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startScriptedModel } from './scripted-model.js';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '9090' },
    script: { type: 'string', default: fileURLToPath(new URL('script.json', import.meta.url)) },
  },
});

const model = await startScriptedModel(values.script, Number(values.port));
process.stdout.write(`the scripted model answers at ${model.url}\n`);
