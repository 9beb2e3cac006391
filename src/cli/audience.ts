import { hash } from 'node:crypto';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { systemClock } from '../base/clock.ts';
import { CsvError } from '../base/csv.ts';
import { readStreamLines } from '../base/lines.ts';
import { IDENTIFIER_KINDS, type IdentifierKind, isHashedKind } from '../contract/store/audiences.ts';
import { normalize } from '../features/audiences/uploads/normalize.ts';
import { REASONS } from '../features/audiences/uploads/people-columns.ts';
import { PHONE_COUNTRIES } from '../features/audiences/uploads/phone-number.ts';
import { addProfileOptions, collectPair, profileFrom } from './connection-profile.ts';
import { CommandFailed, UsageError } from './failure.ts';
import { print, printError } from './output.ts';

/** `barker audience`: hashes identifiers and uploads audience members. */
export function configure(command: Command): void {
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
    .addOption(countryOption())
    .argument('[values...]', 'Values (default: the lines of stdin)')
    .addHelpText('after', `\nExample:\n  barker audience hash --type email Ada.Park@example.com\n\n${CHECKS}`)
    .action(async (values: string[]) => {
      const { type, form: isFormShown, country } = command.opts<HashOptions>();
      const hashed = (value: string): string => {
        const read = normalize(type, value, country);
        if ('form' in read) return `${isFormShown ? `${read.form}\t` : ''}${hash('sha256', read.form)}\n`;
        throw new UsageError(`${JSON.stringify(value)}: ${REASONS[read.unusable]}`);
      };
      if (values.length > 0) return print(values.map(hashed).join(''));
      let number = 0;
      for await (const lines of readStreamLines(process.stdin)) {
        const hashes: string[] = [];
        for (const line of lines) {
          number += 1;
          if ('error' in line) throw new UsageError(`line ${number} ${line.error}`);
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

interface HashOptions {
  readonly type: IdentifierKind;
  readonly form?: boolean;
  readonly country?: string;
}

function countryOption(): Option {
  return new Option('--country <code>', 'Country of phone numbers without country code, such as DE').argParser(
    (code) => {
      const upper = code.toUpperCase();
      if (PHONE_COUNTRIES.includes(upper)) return upper;
      throw new InvalidArgumentError('expected a code such as DE');
    },
  );
}

function uploadCommand(command: Command): void {
  command
    .argument('<file>', 'File of people, with or without column names, separated by commas, semicolons, tabs or bars')
    .requiredOption('--account <id>', 'Account id')
    .option('--audience <id>', 'Custom audience id')
    .option('--list <id>', 'Do-not-reach list id, instead of --audience')
    .option('--remove', 'Remove the members instead of adding them')
    .option(
      '--column <name=type>',
      'Type of a column, by its name or number, if neither name nor values tell; repeatable',
      collectPair,
    )
    .addOption(countryOption())
    .option('--report <file>', 'Write all refused rows and values that were left out, as CSV')
    .option('--effective-at <time>', 'When the membership starts (default: now)')
    .option('--expires-at <time>', 'When the membership ends (default: in 13 months)');
  addProfileOptions(command)
    .addHelpText(
      'after',
      `\nTypes: ${IDENTIFIER_KINDS.join(', ')}; append _sha256 if already hashed. Also country, effective_at, expires_at.`,
    )
    .addHelpText('after', '\nExample:\n  barker audience upload people.csv --account 18ce54d4x5t --audience 2c7hv')
    .action((file: string) => upload(command, file));
}

async function upload(command: Command, file: string): Promise<void> {
  const options = command.opts();
  const { account, audience, list } = options;
  if ((audience === undefined) === (list === undefined)) {
    throw new UsageError('give either --audience or --list');
  }
  const path =
    audience !== undefined
      ? `/12/accounts/${account}/custom_audiences/${audience}/users`
      : `/12/batch/accounts/${account}/do_not_reach_lists/${list}/users`;
  const { uploadFile } = await import('./audience/upload.ts');
  try {
    const { people, skipped, left_out, rows } = await uploadFile(file, {
      path,
      caller: profileFrom(command),
      type: options.remove ? 'Delete' : 'Update',
      window: { effective_at: options.effectiveAt, expires_at: options.expiresAt },
      columns: options.column ?? [],
      country: options.country,
      report: options.report,
      now: systemClock.now(),
    });
    print(`${people} people uploaded\n`);
    if (left_out > 0) printError(`${left_out} values were left out\n`);
    if (skipped > 0) throw new CommandFailed(`${file}: ${skipped} of ${rows} rows were refused`);
    if (rows === 0) throw new CommandFailed(`${file} has no rows`);
  } catch (error) {
    if (error instanceof CsvError) throw new UsageError(`${file}: ${error.message}`);
    throw error;
  }
}
