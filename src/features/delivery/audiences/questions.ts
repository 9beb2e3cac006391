import { hash } from 'node:crypto';
import type { SettledAccount } from '../../../contract/services/delivery.ts';
import { subjectOf } from '../../../contract/store/custom-audiences.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { type EstimateCriterion, isPrimary } from '../../ads/audience-estimate/parse-criteria.ts';
import { selectsPeople } from '../../ads/audience-estimate/people-query.ts';
import { lineItems } from '../../ads/line-items.ts';
import { type Criterion, criteriaRows } from '../../ads/targeting-criteria/criteria-rows.ts';
import { targetingType } from '../../ads/targeting-criteria/targeting-types.ts';

/** Expansion of delivery to lookalikes of the targeted people. */
export type Expansion = 'DEFINED' | 'EXPANDED' | 'BROAD';

/** The query for the people that a line item targets, as counted in the directory. */
export interface AudienceQuestion {
  /** Digest of the whole question. */
  readonly hash: string;
  readonly criteria: readonly EstimateCriterion[];
  readonly expansion: Expansion;
  /** The audiences of criteria whose members count now; the others are treated as empty. */
  readonly audiences: ReadonlySet<string>;
  /** The excluded do-not-reach list. */
  readonly excludedList: string | undefined;
  /** The ids of all targeting criteria of the line item. */
  readonly criterionIds: readonly string[];
}

/** Maximum number of ids in one query. */
const CHUNK = 500;

/** Reads the audience questions of line items, without deleted and unknown ones. @source decision 951 */
export async function readQuestions(
  tx: ReadTransaction,
  { id, environment }: Pick<SettledAccount, 'id' | 'environment'>,
  lineItemIds: readonly string[],
): Promise<Map<string, AudienceQuestion>> {
  const ids = [...new Set(lineItemIds)].sort();
  const hidden = { deleted: 'hidden' } as const;
  const items = await inChunks(ids, (some) => tx.records.getMany(lineItems, id, some, hidden));
  const column = 'line_item_id';
  const rows = await inChunks(ids, (some) => tx.records.getMany(criteriaRows, id, some, { ...hidden, column }));
  const named = new Set(rows.filter(meansAudience).map((row) => row.targeting_value!));
  const live = await inChunks([...named].sort(), (some) => tx.audiences.listLive(some));
  const targetableOf = new Map(live.map((audience) => [audience.id, audience.is_targetable === 1]));
  const list = ids.length > 0 ? await findList(tx, id) : undefined;
  const criteriaOf = Map.groupBy(rows, (row) => row.line_item_id!);
  const found = new Map<string, AudienceQuestion>();
  for (const item of items) {
    const own = criteriaOf.get(item.id) ?? [];
    const criteria = own.map(criterionOf).filter(selectsPeople);
    const expansion = criteria.some(isPrimary) ? (item.audience_expansion ?? 'DEFINED') : 'DEFINED';
    // An audience too small for targeting still works as an exclusion.
    const counted = criteria.filter(
      ({ value, operator }) => targetableOf.get(value) === true || (operator === 'NE' && targetableOf.has(value)),
    );
    const audiences = new Set(counted.map(({ value }) => value));
    const parts = { criteria, expansion, audiences, excludedList: list?.id };
    found.set(item.id, {
      ...parts,
      criterionIds: own.map(({ id: criterion }) => criterion),
      hash: hashOf(environment, parts, list?.state ?? null),
    });
  }
  return found;
}

/** Returns the digest of a list of texts. */
export function digestOf(texts: readonly (string | null)[]): string {
  return hash('sha256', JSON.stringify(texts)).slice(0, 32);
}

function criterionOf({ targeting_type, targeting_value, operator_type }: Criterion): EstimateCriterion {
  return { type: targeting_type!, value: targeting_value!, operator: operator_type! };
}

function meansAudience({ targeting_type }: Criterion): boolean {
  return targetingType(targeting_type!).value.is === 'audience';
}

/**
 * Finds the do-not-reach list of an account, if it ever had people. Its state changes with its people, so that opt-outs do not
 * wait for the next day.
 */
async function findList(tx: ReadTransaction, account: string): Promise<{ id: string; state: string } | undefined> {
  const id = await tx.audiences.findLiveList(account);
  if (id === undefined || !(await tx.audienceLog.find(subjectOf('list', id)))) return undefined;
  const files = await tx.derivedFiles.list(subjectOf('list', id));
  return { id, state: digestOf([id, ...files.map(({ name, version }) => `${name} ${version}`).sort()]) };
}

/** Hashes a question, regardless of the order of its criteria. */
function hashOf(
  environment: string,
  { criteria, expansion, audiences }: Omit<AudienceQuestion, 'hash' | 'criterionIds'>,
  listState: string | null,
): string {
  const texts = criteria.map(({ type, operator, value }) => `${type} ${operator} ${value}`).sort();
  return digestOf([environment, expansion, listState, [...audiences].sort().join(' '), ...texts]);
}

async function inChunks<T>(ids: readonly string[], read: (some: readonly string[]) => Promise<T[]>): Promise<T[]> {
  const found: T[] = [];
  for (let from = 0; from < ids.length; from += CHUNK) found.push(...(await read(ids.slice(from, from + CHUNK))));
  return found;
}
