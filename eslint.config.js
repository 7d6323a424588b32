import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';

/** Folders of pure rules: no clock, no randomness, no I/O, no clients, no loggers. */
const RULES = [
  'src/text/**',
  'src/evidence/**',
  'src/citation/**',
  'src/context/**',
  'src/spans/**',
  'src/trace/**',
  'src/guard/**',
  'src/review/rules/**',
  'src/harness/**',
  'src/evaluation/**',
];

const impureImports = [
  {
    group: [
      'node:*',
      'kafkajs',
      'ioredis',
      'pg',
      'pino',
      'better-sqlite3',
      'fastify',
      'undici',
      'prom-client',
      '@opentelemetry/*',
    ],
    message: 'Rules are pure: take what you need as an argument.',
  },
  {
    group: [
      '**/bus/**',
      '**/station/**',
      '**/ledger/**',
      '**/audit/**',
      '**/retrieval/**',
      '**/cli/**',
      '**/gateway/**',
    ],
    message: 'Rules depend on contracts, text and each other only.',
  },
];

const impureGlobals = [
  'process',
  'fetch',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'performance',
  'crypto',
  'console',
  'Buffer',
];

export default tseslint.config(
  {
    ignores: [
      'dist/**',
      'coverage/**',
      'node_modules/**',
      'src/contracts/generated.ts',
      '.proofline/**',
      '.cache/**',
    ],
  },
  eslint.configs.recommended,
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // Contradicts `value is ProoflineError`: the class is told apart by its code.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      'no-control-regex': 'off',
      'no-irregular-whitespace': 'off',
      'no-restricted-syntax': ['error', { selector: 'ExportAllDeclaration', message: 'Name each export.' }],
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  {
    files: RULES,
    rules: {
      'no-restricted-imports': ['error', { patterns: impureImports }],
      'no-restricted-globals': ['error', ...impureGlobals],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Time comes in with the message.' },
        { object: 'Math', property: 'random', message: 'Rules are deterministic.' },
      ],
    },
  },
  {
    files: ['src/**/*.ts', 'consumers/**/*.ts', 'producers/**/*.ts'],
    ignores: ['src/cli/**', ...RULES],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { group: ['**/cli/**', '**/test/**'], message: 'The command line is the outermost layer.' },
          ],
        },
      ],
    },
  },
  {
    files: ['**/*.ts'],
    // The benchmark's baseline is kafkajs as it is.
    ignores: ['src/bus/kafka/load-kafkajs.ts', 'src/bench/passthrough-clients.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['kafkajs', 'kafkajs/*'],
              allowTypeImports: true,
              message: 'kafkajs is loaded, corrected, by src/bus/kafka/load-kafkajs.ts only.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['test/**/*.ts', 'scripts/**/*.ts'],
    rules: { 'no-console': 'off', '@typescript-eslint/no-non-null-assertion': 'off' },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
      },
    },
  },
);
