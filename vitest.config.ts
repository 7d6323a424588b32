import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Examples import the package as its users do; here that is the source, as in tsconfig.json. */
const own = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    alias: {
      'proofline/client': own('./src/client/index.ts'),
      'proofline/kafka': own('./producers/kafka.ts'),
      'proofline/prompts': own('./src/prompts/index.ts'),
    },
  },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two cores: more workers only make the waits longer.
    maxWorkers: 2,
  },
});
