/**
 * Runs every test that this machine can run and ends with the line `N passed, N failed, N skipped`. Tests that
 * were left out are named last, loudly, with the reason that they give in their names.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'proofline-test-'));
const report = join(folder, 'report.json');
const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...process.argv.slice(2),
  ],
  { stdio: 'inherit' },
);

const results = readReport();
rmSync(folder, { recursive: true, force: true });
const skipped = results.testResults.flatMap((file) =>
  file.assertionResults.filter(
    (test) => test.status === 'pending' || test.status === 'skipped' || test.status === 'todo',
  ),
);
// A file that cannot even be loaded counts as one failure.
const broken = results.testResults.filter(
  (file) => file.status === 'failed' && file.assertionResults.length === 0,
);
const failed = results.numFailedTests + broken.length;
if (skipped.length > 0) {
  process.stdout.write(`\nLEFT OUT on this machine:\n`);
  for (const test of skipped) process.stdout.write(`  - ${test.fullName}\n`);
}
process.stdout.write(`\n${results.numPassedTests} passed, ${failed} failed, ${skipped.length} skipped\n`);
process.exit(status === 0 && failed === 0 && results.numPassedTests > 0 ? 0 : 1);

function readReport() {
  try {
    return JSON.parse(readFileSync(report, 'utf8'));
  } catch (error) {
    process.stdout.write(`the test runner left no report: ${error.message}\n0 passed, 1 failed\n`);
    process.exit(1);
  }
}
