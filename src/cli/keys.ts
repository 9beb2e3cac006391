import type { Command } from 'commander';
import { systemClock } from '../base/clock.ts';
import { secureRandom } from '../base/random.ts';
import { type SecretBox, secretBox } from '../base/secret-box.ts';
import { findMasterKey } from '../dev/dev-folder.ts';
import { isMasterKeyInUse } from '../features/platform/master-key-use.ts';
import type { Settings } from '../settings.ts';
import { type Driver, storeOn } from '../storage/core/store.ts';
import { runRecorded } from './command-record.ts';
import { CommandFailed } from './failure.ts';
import { configuredKeys, findKeyUsage, type KeyUsage, resealAll } from './keys/key-usage.ts';
import { print } from './output.ts';
import { addSettings, settingsFrom } from './setting-options.ts';

/** `barker keys`: which master keys seal what, and replacing one. */
export function keysCommand(command: Command): void {
  const status = command.command('status').description('Show which master keys are in use, unused or missing');
  addSettings(status, 'serve', ['data_folder', 'database_url', 'master_key_id'])
    .option('--json', 'As JSON')
    .addHelpText('after', '\nExample:\n  barker keys status')
    .action(() => onSecrets(status, showStatus));
  const reseal = command.command('reseal').description('Seal every secret with the current master key');
  addSettings(reseal, 'serve', ['data_folder', 'database_url', 'master_key_id'])
    .option('--offline', 'No server runs, so none needs to have the key already')
    .addHelpText(
      'after',
      '\nRuns beside a server that was restarted with the current key, and again after an interruption.\n\nExample:\n  barker keys reseal',
    )
    .action(() => onSecrets(reseal, runReseal));
}

interface Secrets {
  readonly command: Command;
  readonly driver: Driver;
  readonly settings: Settings;
  /** Undefined where no master key is configured. */
  readonly box: SecretBox | undefined;
}

/** Opens the database without holding the keys against it: what is wrong with them is what people want to know. */
async function onSecrets(command: Command, work: (secrets: Secrets) => Promise<void>): Promise<void> {
  const { openDriver } = await import('../app/database.ts');
  const { pendingMigrations } = await import('../storage/core/migrate.ts');
  const input = settingsFrom(command, 'serve', true);
  const settings = { ...input, master_key: input.master_key || (findMasterKey(input.data_folder) ?? '') };
  const box =
    settings.master_key === ''
      ? undefined
      : secretBox({
          currentKeyId: settings.master_key_id,
          keys: configuredKeys(settings),
          random: (count) => secureRandom.bytes(count),
        });
  const driver = await openDriver(settings);
  try {
    if ((await pendingMigrations(driver)).length > 0)
      throw new CommandFailed('the schema is not up to date; run: barker migrate');
    await work({ command, driver, settings, box });
  } finally {
    await driver.close();
  }
}

async function showStatus({ command, driver, settings, box }: Secrets): Promise<void> {
  const uses = await findKeyUsage(driver, settings, box);
  if (command.opts().json) print(`${JSON.stringify(uses, null, 2)}\n`);
  else print(tableOf(uses));
  const wrong = uses.filter(({ state, unreadable }) => state === 'missing' || unreadable > 0);
  if (wrong.length === 0) return;
  throw new CommandFailed(
    wrong
      .map(({ id, state, secrets, unreadable }) =>
        state === 'missing'
          ? `key ${id} is not configured, but ${secretsSaid(secrets)} sealed with it; add it to master_keys_old`
          : `${secretsSaid(unreadable)} sealed with another key than the configured ${id}, or altered`,
      )
      .join('; '),
  );
}

const secretsSaid = (count: number): string => (count === 1 ? '1 secret is' : `${count} secrets are`);

function tableOf(uses: readonly KeyUsage[]): string {
  const rows = [
    ['KEY', 'FINGERPRINT', 'STATE', 'SECRETS', 'COLUMN'],
    ...uses.flatMap(({ id, fingerprint = '-', state, columns }) => {
      const used = Object.entries(columns);
      const said = state === 'old' && used.length === 0 ? 'old, unused' : state;
      if (used.length === 0) return [[id, fingerprint, said, '0', '-']];
      return used.map(([column, count]) => [id, fingerprint, said, String(count), column]);
    }),
  ];
  const widths = rows[0]!.map((_, index) => Math.max(...rows.map((row) => row[index]!.length)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, index) => cell.padEnd(widths[index]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

async function runReseal({ command, driver, settings, box }: Secrets): Promise<void> {
  if (!box) throw new CommandFailed('master_key: required to seal secrets', 2);
  const store = storeOn(driver);
  if (!command.opts().offline && !(await store.read((tx) => isMasterKeyInUse(tx, box)))) {
    throw new CommandFailed(
      `no server has been started with master key ${settings.master_key_id} yet, and one without it could not read what is sealed with it; restart the server first, or add --offline when none runs`,
    );
  }
  return runRecorded(command, { store, clock: systemClock }, (addTarget) => {
    addTarget('secrets');
    return reseal(driver, settings, box);
  });
}

async function reseal(driver: Driver, settings: Settings, box: SecretBox): Promise<void> {
  const done = await resealAll(driver, box);
  for (const [column, { resealed }] of Object.entries(done)) print(`${column}=${resealed}\n`);
  const unreadable = Object.values(done).reduce((sum, each) => sum + each.unreadable, 0);
  if (unreadable > 0) {
    throw new CommandFailed(
      `${secretsSaid(unreadable)} still sealed with other keys that do not open them; see: barker keys status`,
    );
  }
  // A server that has the former key as its current one goes on sealing with it.
  const uses = await findKeyUsage(driver, settings, box);
  const left = uses.filter(({ state, secrets }) => state !== 'current' && secrets > 0);
  if (left.length > 0) {
    const ids = left.map(({ id }) => id).join(', ');
    throw new CommandFailed(
      `secrets were sealed with ${ids} meanwhile; restart the server with master_key_id ${settings.master_key_id}, then run this again`,
    );
  }
}
