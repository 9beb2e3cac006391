import { type Command, Option } from 'commander';
import { CsvError } from '../base/csv.ts';
import { linesOfStream } from '../base/lines.ts';
import { IDENTIFIER_KINDS, type IdentifierKind } from '../contract/store/audiences.ts';
import { hashOfIdentifier, isHashedKind, normalForm } from '../features/audiences/uploads/normalize.ts';
import { addProfileOptions, collectPair, profileFrom } from './connection-profile.ts';
import { CommandFailed } from './failure.ts';
import { print, printError } from './output.ts';

/** `barker audience`: what uploads of people need. */
export function audienceCommand(command: Command): void {
  hashCommand(command.command('hash').description('Bring values into the form that is hashed, and hash them'));
  uploadCommand(command.command('upload').description('Upload the people of a file, hashed on this machine'));
}

function hashCommand(command: Command): void {
  const types = IDENTIFIER_KINDS.filter(isHashedKind);
  command
    .addOption(new Option('--type <type>', 'What the values are').choices(types).makeOptionMandatory())
    .option('--form', 'Show the form that is hashed before each hash')
    .argument('[values...]', 'Values; without any, each line of the input is one')
    .addHelpText('after', `\nExample:\n  barker audience hash --type email Ada.Park@example.com\n\n${CHECKS}`)
    .action(async (values: string[]) => {
      const { type, form = false } = command.opts<{ type: IdentifierKind; form?: boolean }>();
      const hashed = (value: string): string => `${hashLine(type, value, form)}\n`;
      if (values.length > 0) return print(values.map(hashed).join(''));
      let number = 0;
      for await (const lines of linesOfStream(process.stdin)) {
        const hashes: string[] = [];
        for (const line of lines) {
          number += 1;
          if ('error' in line) throw new CommandFailed(`line ${number} ${line.error}`, 2);
          if (line.text.trim() !== '') hashes.push(hashed(line.text.replace(/\r$/, '')));
        }
        print(hashes.join(''));
      }
    });
}

const CHECKS = `To check your own program:
  email         ada.park@example.com  c63bfa58347adb89a36591889b9faa7bfea02e5336529c46662ddda5ad233f90
  phone_number  +14155550142          abbf04d6f629b136344993dfb197f1fd9296f712eaf103ebc22b1cc29fb0f135
  handle        lumenroasters         2d318ee0150f0cf54940ef2241bcf542aa787d31df357b3f34c8cda9b33a983c`;

function hashLine(type: IdentifierKind, value: string, isFormShown: boolean): string {
  const form = normalForm(type, value);
  if (form === '') throw new CommandFailed(`nothing is left of ${JSON.stringify(value)} as ${type}`, 2);
  return `${isFormShown ? `${form}\t` : ''}${hashOfIdentifier(type, value)}`;
}

function uploadCommand(command: Command): void {
  command
    .argument('<file>', 'Comma-separated values, in the first line the names of the columns')
    .requiredOption('--account <id>', 'The account')
    .option('--audience <id>', 'The custom audience')
    .option('--list <id>', 'A do-not-reach list instead')
    .option('--remove', 'Take the people out')
    .option('--column <name=type>', 'What a column is, where its name does not say so; repeatable', collectPair)
    .option('--effective-at <time>', 'When the people begin to count; now when not said')
    .option('--expires-at <time>', 'When they cease to; after 13 months when not said');
  addProfileOptions(command)
    .addHelpText('after', `\nTypes: ${IDENTIFIER_KINDS.join(', ')}, those that are hashed already with _sha256 behind.`)
    .addHelpText('after', '\nExample:\n  barker audience upload people.csv --account 18ce54d4x5t --audience 2c7hv')
    .action((file: string) => upload(command, file));
}

async function upload(command: Command, file: string): Promise<void> {
  const options = command.opts();
  const { account, audience, list } = options;
  if ((audience === undefined) === (list === undefined)) {
    throw new CommandFailed('people go to an --audience or to a --list', 2);
  }
  const path =
    audience !== undefined
      ? `/12/accounts/${account}/custom_audiences/${audience}/users`
      : `/12/batch/accounts/${account}/do_not_reach_lists/${list}/users`;
  const { uploadFile } = await import('./audience/upload.ts');
  try {
    const sent = await uploadFile(file, {
      path,
      caller: profileFrom(command),
      type: options.remove ? 'Delete' : 'Update',
      window: { effective_at: options.effectiveAt, expires_at: options.expiresAt },
      columns: options.column ?? [],
    });
    print(`${sent.people} people uploaded\n`);
    if (sent.skipped > 0) printError(`${sent.skipped} rows were left out: they have nothing that can be hashed\n`);
  } catch (error) {
    if (error instanceof CsvError) throw new CommandFailed(`${file}: ${error.message}`, 2);
    throw error;
  }
}
