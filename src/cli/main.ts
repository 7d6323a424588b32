#!/usr/bin/env node
import { nodeIo } from './node-io.js';
import { runCli } from './program.js';

const code = await runCli(process.argv.slice(2), nodeIo());
// What was written must be out before the process is; nothing else may keep it.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
