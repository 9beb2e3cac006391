import { isDeepStrictEqual } from 'node:util';
import type { Field, StoredValue } from '../contract/declare/fields.ts';
import type { AccountCall, Input, NewIds } from '../contract/declare/operation.ts';
import { type AnyResource, jobKeyOf, type Row, type Verb } from '../contract/declare/resource.ts';
import { COMPOSER_ROLES } from '../contract/declare/roles.ts';
import { type AppliedChange, blankName, type Change, type Rule } from '../contract/declare/rules.ts';
import type { ErrorDetail } from '../contract/problems/problems.ts';
import { columnFields, draftOf, UNIQUE_KEY } from '../rows/draft.ts';
import { searchColumns } from '../rows/search-columns.ts';
import type { WriteTransaction } from '../storage/unit-of-work.ts';
import { applyCascades, type PendingCascade, takeCascadeIds } from './cascade-create.ts';
import { findRow, type PathKey } from './find-row.ts';
import { recordChange, takeChangeIds } from './history.ts';
import { storeNew, takeNewIds } from './new-row.ts';
import { throwErrors } from './read-parameters.ts';

/** The ids for a write, taken before its unit of work begins. */
export interface WriteIds {
  /** For a create. */
  readonly created: NewIds | undefined;
  /** Of the history row of any other write. */
  readonly change: string | undefined;
  readonly cascades: readonly PendingCascade[];
}

/** Takes the ids for several writes. */
export async function takeWriteIds(
  resource: AnyResource,
  call: AccountCall,
  writes: readonly { readonly verb: Verb | undefined; readonly input: Input }[],
): Promise<WriteIds[]> {
  const inputs = writes.map(({ input }) => input);
  const cascades = await takeCascadeIds(resource, call, inputs);
  const creates = writes.filter(({ verb }) => verb === 'create').length;
  const created = (await takeNewIds(resource, call, creates)).values();
  const changes = (await takeChangeIds(resource, call.services.ids, writes.length - creates)).values();
  return writes.map(({ verb }, index) => {
    const isCreate = verb === 'create';
    return {
      created: isCreate ? created.next().value : undefined,
      change: isCreate ? undefined : changes.next().value,
      cascades: cascades[index]!,
    };
  });
}

/**
 * Stores a new row, or throws all errors of the first failing phase: references, then rules. If a row with its unique
 * key exists, that row is returned.
 */
export async function applyCreate(
  tx: WriteTransaction,
  resource: AnyResource,
  call: AccountCall,
  input: Input,
  ids: WriteIds,
): Promise<AppliedChange> {
  const created = ids.created!;
  const drafted = draftOf(resource, call, input, created.row, created.secondary);
  const referenced = await readReferences(tx, resource, drafted);
  const change = proposedChange(tx, resource, call, { verb: 'create', before: undefined, referenced });
  const after = { ...drafted, ...(await resource.derive?.(drafted, { ...change, input })) } as Row;
  await check({ ...change, after }, resource.rules);
  const applied = await storeNew(tx, resource, call, after, created);
  await applyCascades(tx, call, { ...change, after }, ids.cascades);
  await planJob(tx, resource, after);
  await runAfterWrite(tx, resource, call, 'create', applied);
  return applied;
}

/** Updates the given fields of a row; fields fixed at creation keep their value. @source decision 32 */
export async function applyUpdate(
  tx: WriteTransaction,
  resource: AnyResource,
  call: AccountCall,
  input: Input,
  key: PathKey,
  ids: WriteIds,
): Promise<AppliedChange> {
  const before = await findRow(resource, tx.records, key, { deleted: 'hidden', lock: true });
  // A granted row is checked together with the other rows of its owner.
  if (key.includesGranted && before.account_id !== key.account) await tx.records.lockAccount(before.account_id);
  if (resource.requests?.ignoresEmptyUpdate && Object.keys(input).length === 0) return { before, after: before };
  const given = columnFields(resource).filter(([name, field]) => !isUnchanged(field, input[name], before[name]!));
  const unsettable = given.filter(([, { writable }]) => writable === 'refused');
  throwErrors(unsettable.map(([parameter]) => ({ problem: 'NOT_SETTABLE', parameter })));
  const inputs = given
    .filter(([, { writable }]) => writable === 'input')
    .map(([name]) => [name, input[name]!] as const);
  const changes: Record<string, StoredValue | null> = Object.fromEntries(inputs);
  const drafted = { ...before, ...changes, updated_at: call.now } as Row;
  const referenced = await readReferences(tx, resource, drafted, before);
  const change = proposedChange(tx, resource, call, { verb: 'update', before, referenced });
  const derived = (inputs.length > 0 && (await resource.derive?.(drafted, { ...change, input }))) || {};
  const after = { ...drafted, ...derived } as Row;
  await check({ ...change, after }, resource.rules);
  const columns = { ...changes, ...derived, updated_at: call.now, ...searchColumns(resource, after, changes) };
  await tx.records.update(resource, ownKey(resource, before), columns as Record<string, StoredValue | null>);
  const applied = await recordChange(tx, resource, call, ids.change, { before, after });
  await applyCascades(tx, call, { ...change, after }, ids.cascades);
  await planJob(tx, resource, after);
  await runAfterWrite(tx, resource, call, 'update', applied);
  return applied;
}

/** Whether an input is absent or the value of the row; members of objects may have another order. */
function isUnchanged({ kind }: Field, sent: StoredValue | null | undefined, stored: StoredValue | null): boolean {
  if (sent === undefined || sent === stored) return true;
  if (sent === null || stored === null || !('items' in kind.schema)) return false;
  return isDeepStrictEqual(JSON.parse(String(sent)), JSON.parse(String(stored)));
}

/** Marks a row as deleted, or removes it for hard deletion. */
export async function applyRemove(
  tx: WriteTransaction,
  resource: AnyResource,
  call: AccountCall,
  key: PathKey,
  ids: WriteIds,
): Promise<AppliedChange> {
  const before = await findRow(resource, tx.records, key, { deleted: 'hidden', lock: true });
  const { rules, hard } = resource.deletion ?? {};
  if (rules) await checkDeletion(tx, resource, call, before, rules);
  await cancelJob(tx, resource, before);
  await deleteDependents(tx, resource, call, before);
  if (hard) {
    await tx.records.remove(resource, ownKey(resource, before));
    const after = { ...before, ...hard.values, deleted: 1, updated_at: call.now } as Row;
    return recordChange(tx, resource, call, ids.change, { before, after });
  }
  const freed: Record<string, null> = resource.unique ? { [UNIQUE_KEY]: null } : {};
  const changes = { ...freed, deleted: 1, updated_at: call.now };
  await tx.records.update(resource, ownKey(resource, before), changes);
  const applied = await recordChange(tx, resource, call, ids.change, {
    before,
    after: { ...before, ...changes } as Row,
  });
  await runAfterWrite(tx, resource, call, 'remove', applied);
  return applied;
}

/** The key of a row under its own account. */
function ownKey({ scope }: AnyResource, { account_id, id }: Row): PathKey {
  return { account: scope === 'account' ? account_id : undefined, id };
}

async function runAfterWrite(
  tx: WriteTransaction,
  resource: AnyResource,
  { account, services, now }: AccountCall,
  verb: 'create' | 'update' | 'remove',
  change: AppliedChange,
): Promise<void> {
  await resource.effects?.afterWrite?.({ ...change, verb, account, tx, services, now });
}

/** The rows that new references point to; a missing or deleted one is an error. */
async function readReferences(
  tx: WriteTransaction,
  resource: AnyResource,
  after: Row,
  before?: Row,
): Promise<Map<string, Row>> {
  const found = new Map<string, Row>();
  const errors: ErrorDetail[] = [];
  for (const [name, field] of Object.entries(resource.fields as Record<string, Field>)) {
    const value = after[name];
    if (!field.target || typeof value !== 'string' || value === before?.[name]) continue;
    const target = field.target() as AnyResource;
    const row = await tx.records.get(
      target,
      { account: after.account_id, id: value },
      { deleted: field.deletedTarget, lock: field.locksTarget },
    );
    if (row) found.set(name, row);
    else errors.push({ problem: target.notFound, parameter: name, value, words: { kind: target.label } });
  }
  throwErrors(errors);
  return found;
}

/**
 * Runs all rules; throws all their errors together. What rules say of the row before an update does not refuse members
 * that keep their values.
 * @source decision 1090
 */
async function check(change: Change<Row>, rules: readonly Rule<Row>[] = []): Promise<void> {
  const errors = await errorsOf(change, rules);
  const { verb, before, after } = change;
  if (errors.length === 0 || verb !== 'update') return throwErrors(errors);
  const former = await errorsOf({ ...change, after: before! }, rules);
  const known = new Set(former.map((error) => `${memberOf(error)} ${error.problem}`));
  throwErrors(
    errors.filter((error) => {
      const member = memberOf(error);
      return member === undefined || after[member] !== before![member] || !known.has(`${member} ${error.problem}`);
    }),
  );
}

/** The member that an error is about, without the place in its value. */
function memberOf({ parameter, attribute }: ErrorDetail): string | undefined {
  return (parameter ?? attribute)?.match(/^\w+/)?.[0];
}

async function errorsOf(change: Change<Row>, rules: readonly Rule<Row>[]): Promise<ErrorDetail[]> {
  const { before, after } = change;
  const errors = before?.name === after.name ? [] : blankName(after.name);
  for (const rule of rules) {
    const found = await rule(change);
    if (found) errors.push(...[found].flat());
  }
  return errors;
}

function checkDeletion(
  tx: WriteTransaction,
  resource: AnyResource,
  call: AccountCall,
  row: Row,
  rules: readonly Rule<Row>[],
): Promise<void> {
  const change = proposedChange(tx, resource, call, { verb: 'remove', before: row, referenced: new Map() });
  return check({ ...change, after: row }, rules);
}

/** The context of rules and `derive`, without the row as it will be. */
function proposedChange(
  tx: WriteTransaction,
  resource: AnyResource,
  { account, principal, canCompose, role, services, now }: AccountCall,
  what: Pick<Change<Row>, 'verb' | 'before' | 'referenced'>,
): Omit<Change<Row>, 'after'> {
  const isComposer = canCompose && COMPOSER_ROLES.includes(role);
  const author = { user: principal.user, canCompose: isComposer };
  return { resource, ...what, account, tx, author, media: services.media.addresses, now };
}

async function planJob(tx: WriteTransaction, { effects }: AnyResource, row: Row): Promise<void> {
  if (!effects?.job) return;
  const { job, at } = effects.job;
  await tx.jobs.plan({ kind: job, key: jobKeyOf(row), run_at: String(row[at as string]) });
}

async function cancelJob(tx: WriteTransaction, { effects }: AnyResource, row: Row): Promise<void> {
  if (effects?.job) await tx.jobs.cancel(effects.job.job, jobKeyOf(row));
}

async function deleteDependents(
  tx: WriteTransaction,
  { deletion }: AnyResource,
  call: AccountCall,
  { account_id, id }: Row,
): Promise<void> {
  if (!deletion?.dependents) return;
  const { of, column } = deletion.dependents;
  const dependent = call.services.resources.get(of)!;
  const rows = await tx.records.getMany(dependent, account_id, [id], { deleted: 'hidden', column });
  const freed: Record<string, null> = dependent.unique ? { [UNIQUE_KEY]: null } : {};
  const ids = rows.map((row) => row.id);
  await tx.records.updateAll(dependent, account_id, ids, { ...freed, deleted: 1, updated_at: call.now });
}
