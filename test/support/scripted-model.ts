import { fileURLToPath } from 'node:url';
import { startScriptedModel, type ScriptedModel } from '../../examples/scripted-model/scripted-model.js';

/** The model of the examples: it asks, forges, reads the repair prompt and hands in a true report. */
export const forgerScript = fileURLToPath(
  new URL('../../examples/scripted-model/script.json', import.meta.url),
);

const opened = new Set<ScriptedModel>();

export async function openScriptedModel(script = forgerScript): Promise<ScriptedModel> {
  const model = await startScriptedModel(script);
  opened.add(model);
  return model;
}

/** For `afterEach` or `afterAll`. */
export async function closeScriptedModels(): Promise<void> {
  for (const model of opened) await model.close();
  opened.clear();
}
