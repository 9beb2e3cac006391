import type { Command } from 'commander';
import { print } from './output.ts';

/** `barker aliases`: alias files for the vocabulary of another API. */
export function configure(command: Command): void {
  command
    .command('init')
    .description('Print an alias file with every word of the interface, each standing for itself, and comments')
    .addHelpText('after', '\nExample:\n  barker aliases init > words.jsonc')
    .action(async () => {
      const { aliasTemplateText } = await import('../app/vocabulary.ts');
      print(await aliasTemplateText());
    });
}
