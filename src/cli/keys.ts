import type { Command } from 'commander';
import { systemClock } from '../base/clock.ts';
import type { SecretBox } from '../base/secret-box.ts';
import { DEAD_AFTER_S } from '../contract/store/nodes.ts';
import { findMasterKey } from '../dev/dev-folder.ts';
import { findServersWithOtherKey, isMasterKeyInUse } from '../features/platform/master-keys.ts';
import type { Settings } from '../settings.ts';
import type { Driver } from '../storage/core/driver.ts';
import { storeOn } from '../storage/core/store.ts';
import type { ReadTransaction } from '../storage/unit-of-work.ts';
import { runRecorded } from './command-record.ts';
import { CommandFailed, UsageError } from './failure.ts';
import { findKeyUsage, type KeyUsage, resealAll } from './keys/key-usage.ts';
import { printJson, printLine, printTable } from './output.ts';
import { addSettings, onDatabase, settingsFrom } from './setting-options.ts';

/** `barker keys`: shows which master keys encrypt which secrets, and re-encrypts them. @source decision 544 */
export function configure(command: Command): void {
  const status = command.command('status').description('Show which master keys are used, unused or missing');
  onDatabase(status, 'keys status', ['master_key_id'])
    .option('--json', 'Print JSON')
    .action(() => onSecrets(status, showStatus));
  const reseal = command.command('reseal').description('Re-encrypt every secret with the current master key');
  addSettings(reseal, 'serve', ['data_folder', 'database_url', 'master_key_id'])
    .option('--offline', 'No server is running that would need the key')
    .addHelpText(
      'after',
      '\nRestart the server with the current key first. If interrupted, run it again.\n\nExample:\n  barker keys reseal',
    )
    .action(() => onSecrets(reseal, runReseal));
}

interface Secrets {
  readonly command: Command;
  readonly driver: Driver;
  readonly settings: Settings;
  /** Undefined if no master key is configured. */
  readonly box: SecretBox | undefined;
}

/** Opens the database without checking the master keys, so that wrong keys can be reported. */
async function onSecrets(command: Command, work: (secrets: Secrets) => Promise<void>): Promise<void> {
  const { openDriver, requireDatabase, secretBoxOf } = await import('../app/database.ts');
  const { checkSchema } = await import('../storage/core/migrate.ts');
  const input = settingsFrom(command, 'serve', true);
  const settings = { ...input, master_key: input.master_key || (findMasterKey(input.data_folder) ?? '') };
  const box = settings.master_key === '' ? undefined : secretBoxOf(settings);
  requireDatabase(settings);
  const driver = await openDriver(settings);
  try {
    await checkSchema(driver);
    await work({ command, driver, settings, box });
  } finally {
    await driver.close();
  }
}

async function showStatus({ command, driver, settings, box }: Secrets): Promise<void> {
  const uses = await findKeyUsage(driver, settings, box);
  if (command.opts().json) printJson(uses);
  else printTable(rowsOf(uses));
  const wrong = uses.filter(({ state, unreadable }) => state === 'missing' || unreadable > 0);
  if (wrong.length === 0) return;
  throw new CommandFailed(
    wrong
      .map(({ id, state, secrets, unreadable }) =>
        state === 'missing'
          ? `key ${id} is not configured, but ${secretsAre(secrets)} encrypted with it; add it to master_keys_old`
          : `${secretsAre(unreadable)} corrupted, or encrypted with another key than the configured ${id}`,
      )
      .join('; '),
  );
}

const secretsAre = (count: number): string => (count === 1 ? '1 secret is' : `${count} secrets are`);

function rowsOf(uses: readonly KeyUsage[]): string[][] {
  return [
    ['KEY', 'FINGERPRINT', 'STATE', 'SECRETS', 'COLUMN'],
    ...uses.flatMap(({ id, fingerprint = '-', state, columns }) => {
      const used = Object.entries(columns);
      const label = state === 'old' && used.length === 0 ? 'old, unused' : state;
      if (used.length === 0) return [[id, fingerprint, label, '0', '-']];
      return used.map(([column, count]) => [id, fingerprint, label, String(count), column]);
    }),
  ];
}

/** Re-encrypts all secrets, if a running server has the current master key already. @source decision 544, 604 */
async function runReseal({ command, driver, settings, box }: Secrets): Promise<void> {
  if (!box) throw new UsageError('master_key: required to encrypt secrets');
  const store = storeOn(driver);
  if (!command.opts().offline) await store.read((tx) => requireCurrentKey(tx, settings, box));
  return runRecorded(command, { store, clock: systemClock }, (addTarget) => {
    addTarget('secrets');
    return reseal(driver, settings, box);
  });
}

/** Running servers must seal with the current key: they can then open resealed values, and add none under another key. */
async function requireCurrentKey(tx: ReadTransaction, settings: Settings, box: SecretBox): Promise<void> {
  const { master_key_id: id } = settings;
  if (!(await isMasterKeyInUse(tx, box))) {
    throw new CommandFailed(
      `no server has been started with master key ${id} yet, and a server without it could not decrypt the secrets; restart the server first, or add --offline if none is running`,
    );
  }
  const { masterKeysOf } = await import('../app/database.ts');
  const others = findServersWithOtherKey(masterKeysOf(settings), await tx.nodes.listLive('', DEAD_AFTER_S));
  if (others.length > 0) {
    throw new CommandFailed(
      `servers still encrypt with another master key than ${id}: ${others.join(', ')}; restart each of them with it first (barker nodes shows their keys)`,
    );
  }
}

async function reseal(driver: Driver, settings: Settings, box: SecretBox): Promise<void> {
  const done = await resealAll(driver, box);
  for (const [column, { resealed }] of Object.entries(done)) if (resealed > 0) printLine(`${column}=${resealed}`);
  const unreadable = Object.values(done).reduce((sum, each) => sum + each.unreadable, 0);
  if (unreadable > 0) {
    throw new CommandFailed(
      `${secretsAre(unreadable)} still encrypted with other keys and cannot be decrypted; see: barker keys status`,
    );
  }
  // A server whose current key is still the old one keeps encrypting with it.
  const uses = await findKeyUsage(driver, settings, box);
  const left = uses.filter(({ state, secrets }) => state !== 'current' && secrets > 0);
  if (left.length > 0) {
    const ids = left.map(({ id }) => id).join(', ');
    throw new CommandFailed(
      `new secrets were encrypted with ${ids} in the meantime; restart the server with master_key_id ${settings.master_key_id}, then run this again`,
    );
  }
  printLine(`all secrets are encrypted with master key ${settings.master_key_id}`);
}
