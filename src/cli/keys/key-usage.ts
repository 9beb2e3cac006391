import {
  keyFingerprint,
  parseKeyEntries,
  parseMasterKey,
  type SecretBox,
  sealingKeyId,
} from '../../base/secret-box.ts';
import { SEALED_COLUMNS, type SealedColumn } from '../../contract/store/sealed-columns.ts';
import type { Settings } from '../../settings.ts';
import { listSealedValues, replaceSealedValue, type SealedValue } from '../../storage/core/sealed-values.ts';
import type { Driver } from '../../storage/core/store.ts';

/** Rows that are read, or sealed anew, in one unit of work: others wait no longer than that takes. */
const BATCH = 500;

/** A key as operators know it, and what is sealed with it. */
export interface KeyUsage {
  readonly id: string;
  /** Undefined when the settings do not have the key. */
  readonly fingerprint: string | undefined;
  readonly state: 'current' | 'old' | 'missing';
  /** Secrets by column, `table.column`; columns without any are absent. */
  readonly columns: Readonly<Record<string, number>>;
  readonly secrets: number;
  /** Secrets that name this key and do not open with it: another key has its id, or they were altered. */
  readonly unreadable: number;
}

/** The keys of the settings by id; none where no master key is set. */
export function configuredKeys(settings: Settings): Readonly<Record<string, Buffer>> {
  return {
    ...parseKeyEntries(settings.master_keys_old),
    ...(settings.master_key !== '' && { [settings.master_key_id]: parseMasterKey(settings.master_key) }),
  };
}

/** What every key, configured or needed, is used for. `box` opens with the configured keys; undefined when there are none. */
export async function findKeyUsage(
  driver: Driver,
  settings: Settings,
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

function opens(box: SecretBox, sealed: string, context: string): boolean {
  try {
    box.open(sealed, context);
    return true;
  } catch {
    return false;
  }
}

/** What sealing anew came to, by column. */
export type ResealResult = Readonly<Record<string, { readonly resealed: number; readonly unreadable: number }>>;

/**
 * Seals with the current key whatever was sealed with another, batch by batch, beside a running server too. What is done stays
 * done: whoever is interrupted starts again. Secrets that cannot be opened stay as they are.
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
