import { type Command, Option } from 'commander';
import { CsvError } from '../base/csv.ts';
import { linesOfStream } from '../base/lines.ts';
import { IDENTIFIER_KINDS, type IdentifierKind } from '../contract/store/audiences.ts';
import { hashIdentifier } from '../features/audiences/uploads/hash-identifier.ts';
import { isHashedKind, normalize } from '../features/audiences/uploads/normalize.ts';
import { addProfileOptions, collectPair, profileFrom } from './connection-profile.ts';
import { CommandFailed } from './failure.ts';
import { print, printError } from './output.ts';

/** `barker audience`: hashes identifiers and uploads audience members. */
export function audienceCommand(command: Command): void {
  hashCommand(command.command('hash').description('Normalize and hash identifiers'));
  uploadCommand(
    command.command('upload').description('Upload audience members from a CSV file; identifiers are hashed locally'),
  );
}

function hashCommand(command: Command): void {
  const types = IDENTIFIER_KINDS.filter(isHashedKind);
  command
    .addOption(new Option('--type <type>', 'Identifier type').choices(types).makeOptionMandatory())
    .option('--form', 'Print the normalized value before each hash')
    .argument('[values...]', 'Values (default: the lines of stdin)')
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

const CHECKS = `Test vectors for your own implementation:
  email         ada.park@example.com  c63bfa58347adb89a36591889b9faa7bfea02e5336529c46662ddda5ad233f90
  phone_number  +14155550142          abbf04d6f629b136344993dfb197f1fd9296f712eaf103ebc22b1cc29fb0f135
  handle        lumenroasters         2d318ee0150f0cf54940ef2241bcf542aa787d31df357b3f34c8cda9b33a983c`;

function hashLine(type: IdentifierKind, value: string, isFormShown: boolean): string {
  const form = normalize(type, value);
  if (form === '') throw new CommandFailed(`${JSON.stringify(value)} is empty after normalization as ${type}`, 2);
  return `${isFormShown ? `${form}\t` : ''}${hashIdentifier(type, value)}`;
}

function uploadCommand(command: Command): void {
  command
    .argument('<file>', 'CSV file with column names in the first line')
    .requiredOption('--account <id>', 'Account id')
    .option('--audience <id>', 'Custom audience id')
    .option('--list <id>', 'Do-not-reach list id, instead of --audience')
    .option('--remove', 'Remove the members instead of adding them')
    .option('--column <name=type>', 'Identifier type of a column, if its name does not tell; repeatable', collectPair)
    .option('--effective-at <time>', 'When the membership starts (default: now)')
    .option('--expires-at <time>', 'When the membership ends (default: in 13 months)');
  addProfileOptions(command)
    .addHelpText('after', `\nTypes: ${IDENTIFIER_KINDS.join(', ')}; append _sha256 if already hashed.`)
    .addHelpText('after', '\nExample:\n  barker audience upload people.csv --account 18ce54d4x5t --audience 2c7hv')
    .action((file: string) => upload(command, file));
}

async function upload(command: Command, file: string): Promise<void> {
  const options = command.opts();
  const { account, audience, list } = options;
  if ((audience === undefined) === (list === undefined)) {
    throw new CommandFailed('give either --audience or --list', 2);
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
    if (sent.skipped > 0) printError(`${sent.skipped} rows were skipped: they have no valid identifier\n`);
  } catch (error) {
    if (error instanceof CsvError) throw new CommandFailed(`${file}: ${error.message}`, 2);
    throw error;
  }
}
