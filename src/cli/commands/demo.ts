import type { AddCommand } from '../command.js';
import type { DemoCommandOptions } from '../play-demo.js';

const HELP = `
Examples:
  proofline demo                                plays it in a folder of its own, which is removed
  proofline demo --keep --data .proofline-demo  keeps the folder, to look around in
  proofline demo --json                         every record of it as one JSON value
  proofline demo --examples DIR                 plays a copy of examples/ that you changed

Exit code 1 when a draft does not come to what the demo promises.
`;

export const addDemo: AddCommand = (program, context) => {
  program
    .command('demo')
    .description('the whole line over examples/: a forged report caught, a true one published')
    .option('--keep', 'keep the data folder (--data), which has to be new or empty')
    .option('--examples <DIR>', 'docs and drafts to play instead of those of the package')
    .addHelpText('after', HELP)
    .action(async (options: DemoCommandOptions) => {
      const { playDemo } = await import('../play-demo.js');
      await playDemo(options, context);
    });
};
