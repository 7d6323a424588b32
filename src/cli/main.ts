#!/usr/bin/env node
import { keepHeapSmall } from '../line/small-heap.js';
import { nodeIo } from './node-io.js';
import { runCli } from './program.js';

keepHeapSmall();
const code = await runCli(process.argv.slice(2), nodeIo());
// What was written must be out before the process is; nothing else may keep it.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
