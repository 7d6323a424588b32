import { join, relative } from 'node:path';
import type { Paint } from './page.js';

/** Where the demo was played, for commands that go on from there. */
export interface DemoPlace {
  /** How the command is called: `proofline`. */
  readonly command: string;
  /** The folder of examples. */
  readonly examples: string;
  /** The folder that paths are relative to. */
  readonly cwd: string;
  /** The data folder, when it was kept. */
  readonly kept: string | null;
}

/** Commands to try next; they work as they are printed. */
export function demoNext(place: DemoPlace, paint: Paint): readonly string[] {
  return [
    paint('strong', 'TRY NEXT'),
    ...nextCommands(place).flatMap(({ why, commands }) => [
      `  ${why}`,
      ...commands.map((command) => `    ${command}`),
    ]),
  ];
}

interface NextCommands {
  readonly why: string;
  readonly commands: readonly string[];
}

export function nextCommands({ command, examples, cwd, kept }: DemoPlace): readonly NextCommands[] {
  const path = (...names: string[]): string => quotedPath(relative(cwd, join(examples, ...names)));
  const call = (words: string): string => `${command} ${words}`;
  return [
    ...(kept === null
      ? []
      : [
          {
            why: 'the whole story of the forged and the true report',
            commands: [call(`--data ${quotedPath(kept)} trail demo-gateway`)],
          },
        ]),
    {
      why: 'ask, hand in and look back yourself; the folder may as well be yours',
      commands: [
        call(`index ${path('docs')}`),
        call('lookup "GPU ECC memory errors on training nodes" --run try-1 --call call_gpu'),
        call(`submit ${path('drafts', 'no-evidence.json')} --run try-1`),
        call('trail try-1'),
      ],
    },
    {
      why: 'change a word of a draft, and let the guard alone look at it',
      commands: [call(`check --evidence ${path('evidence.json')} --draft ${path('drafts', 'forged.json')}`)],
    },
  ];
}

function quotedPath(path: string): string {
  return /^[\w./\\:-]+$/.test(path) ? path : JSON.stringify(path);
}
