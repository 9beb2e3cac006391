import { keyFingerprint, opens, type SecretBox, sealingKeyId } from '../../base/secret-box.ts';
import { SEALED_COLUMNS, type SealedColumn } from '../../contract/store/sealed-columns.ts';
import { configuredKeys, type MasterKeySettings } from '../../settings/master-keys.ts';
import type { Driver } from '../../storage/core/driver.ts';
import { listSealedValues, replaceSealedValue, type SealedValue } from '../../storage/core/sealed-values.ts';

/** Rows that are read or re-encrypted in one unit of work. */
const BATCH = 500;

/** A master key and the secrets that it encrypts. */
export interface KeyUsage {
  readonly id: string;
  /** Undefined when the key is not configured. */
  readonly fingerprint: string | undefined;
  readonly state: 'current' | 'old' | 'missing';
  /** Number of secrets by `table.column`; columns without any are absent. */
  readonly columns: Readonly<Record<string, number>>;
  readonly secrets: number;
  /** Secrets with this key id that the key cannot decrypt: another key had the id, or they are corrupted. */
  readonly unreadable: number;
}

/**
 * The usage of every configured or needed key. `box` decrypts with the configured keys; undefined if there are none.
 */
export async function findKeyUsage(
  driver: Driver,
  settings: MasterKeySettings,
  box: SecretBox | undefined,
): Promise<KeyUsage[]> {
  const keys = configuredKeys(settings);
  const counts = new Map<string, { columns: Record<string, number>; unreadable: number }>();
  const countOf = (id: string) => {
    const found = counts.get(id) ?? { columns: {}, unreadable: 0 };
    counts.set(id, found);
    return found;
  };
  for (const id of Object.keys(keys)) countOf(id);
  for (const column of Object.values(SEALED_COLUMNS)) {
    for await (const batch of batchesOf(driver, column)) {
      for (const { key, value } of batch) {
        const id = sealingKeyId(value);
        const count = countOf(id);
        const name = `${column.table}.${column.column}`;
        count.columns[name] = (count.columns[name] ?? 0) + 1;
        if (keys[id] && !opens(box!, value, column.context(key))) count.unreadable += 1;
      }
    }
  }
  const uses = [...counts].map(([id, { columns, unreadable }]): KeyUsage => {
    const secrets = Object.values(columns).reduce((sum, count) => sum + count, 0);
    const state = !keys[id] ? 'missing' : id === settings.master_key_id ? 'current' : 'old';
    return { id, fingerprint: keys[id] && keyFingerprint(keys[id]), state, columns, secrets, unreadable };
  });
  const order = ['current', 'old', 'missing'];
  return uses.sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state) || (a.id < b.id ? -1 : 1));
}

async function* batchesOf(driver: Driver, column: SealedColumn): AsyncGenerator<SealedValue[]> {
  for (let after = ''; ; ) {
    const batch = await driver.read((session) => listSealedValues(session, column, after, BATCH));
    if (batch.length > 0) yield batch;
    if (batch.length < BATCH) return;
    after = batch.at(-1)!.key;
  }
}

/** The result of re-encrypting, by column. */
export type ResealResult = Readonly<Record<string, { readonly resealed: number; readonly unreadable: number }>>;

/**
 * Re-encrypts secrets of other keys with the current key, in batches; a server may be running. Can be run again after
 * an interruption. Secrets that cannot be decrypted stay unchanged.
 * @source decision 544
 */
export async function resealAll(driver: Driver, box: SecretBox): Promise<ResealResult> {
  const done: Record<string, { resealed: number; unreadable: number }> = {};
  for (const column of Object.values(SEALED_COLUMNS)) {
    const count = { resealed: 0, unreadable: 0 };
    done[`${column.table}.${column.column}`] = count;
    for await (const batch of batchesOf(driver, column)) {
      const former = batch.filter(({ value }) => box.needsResealing(value));
      const readable = former.filter(({ key, value }) => opens(box, value, column.context(key)));
      count.unreadable += former.length - readable.length;
      if (readable.length > 0) count.resealed += await resealBatch(driver, box, column, readable);
    }
  }
  return done;
}

function resealBatch(
  driver: Driver,
  box: SecretBox,
  column: SealedColumn,
  batch: readonly SealedValue[],
): Promise<number> {
  return driver.write(async (session) => {
    let count = 0;
    for (const { key, value: former } of batch) {
      const context = column.context(key);
      const value = box.seal(box.open(former, context), context);
      if (await replaceSealedValue(session, column, { of: key, former, value })) count += 1;
    }
    return count;
  });
}
