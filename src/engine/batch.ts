import { isObject } from '../base/objects.ts';
import { type Field, id, quoted, type RawValue } from '../contract/declare/fields.ts';
import {
  type AccountCall,
  type Answer,
  type Input,
  type Parameters,
  serializeContext,
} from '../contract/declare/operation.ts';
import type { AnyResource, Verb } from '../contract/declare/resource.ts';
import type { AppliedChange } from '../contract/declare/rules.ts';
import { BatchProblem } from '../contract/problems/batch-problem.ts';
import { type ErrorDetail, Problem, type ProblemName, problem } from '../contract/problems/problems.ts';
import { draftOf, UNIQUE_KEY } from '../rows/draft.ts';
import { keyFrom } from '../rows/keys.ts';
import { serializerOf } from '../rows/serializer.ts';
import type { WriteTransaction } from '../storage/unit-of-work.ts';
import { batchBuffer, type Preload } from './batch-buffer.ts';
import { echo } from './echo.ts';
import { changeSetErrors, quotaErrors } from './quotas.ts';
import { readParameters } from './read-parameters.ts';
import { applyCreate, applyRemove, applyUpdate, takeWriteIds, type WriteIds } from './write.ts';
import { createParameters, updateParameters } from './write-parameters.ts';

const WORDS: Readonly<Partial<Record<Verb, string>>> = { create: 'Create', update: 'Update', remove: 'Delete' };

interface Item {
  readonly verb: Verb | undefined;
  readonly input: Input;
  readonly errors: readonly ErrorDetail[];
  readonly echo: string;
}

/**
 * Performs a batch atomically. All items are parsed first, and all their errors reported; then they are applied in
 * order, each seeing the changes of earlier ones, and quotas are checked for the net effect.
 * @source advertising 7; campaigns 13; decision 50; decision 52
 */
export async function performBatch(resource: AnyResource, call: AccountCall): Promise<Answer> {
  const items = readItems(resource, call);
  const request = `[${items.map((item) => item.echo).join(',')}]`;
  refuseItems(
    items.map((item) => item.errors),
    request,
  );
  const ids = await takeWriteIds(resource, call, items);
  return call.services.store.write(async (tx) => {
    // Batches of an account run one after the other: they may lock the same rows in different orders.
    await tx.records.lockAccount(call.account.id);
    const unit = await batchBuffer(tx, resource, call.account.id, expectedOf(resource, call, items));
    const made = await applyItems(unit.tx, resource, call, items, ids, request);
    await unit.flush();
    const rows = made.map((change) => change.after);
    const shown = await serializerOf(resource).rows(rows, serializeContext(call, tx));
    return { data: `[${shown.join(',')}]`, request };
  });
}

/** Errors of a batch as a whole. */
export const BATCH_PROBLEMS: readonly ProblemName[] = ['BATCH_NOT_ARRAY', 'BATCH_EMPTY', 'BATCH_TOO_LARGE'];

function readItems(resource: AnyResource, call: AccountCall): Item[] {
  const { body } = call;
  const max = resource.batch!.max;
  if (!Array.isArray(body)) throw problem('BATCH_NOT_ARRAY');
  if (body.length === 0) throw problem('BATCH_EMPTY');
  if (body.length > max) throw problem('BATCH_TOO_LARGE', { words: { max } });
  return body.map((item) => readItem(resource, call, item));
}

/** The verbs of a batch: those of the resource that write. */
export function batchVerbs(resource: AnyResource): Verb[] {
  return (['create', 'update', 'remove'] as const).filter((verb) => resource.operations.includes(verb));
}

/** The operation words of a batch. Their case is ignored. @source decision 21; decision 49 */
export function batchWords(resource: AnyResource): string[] {
  return batchVerbs(resource).map((verb) => WORDS[verb]!);
}

/** Parses an item. Of an item with an unknown operation word only `account_id` is echoed. @source decision 49 */
function readItem(resource: AnyResource, call: AccountCall, item: unknown): Item {
  const { operation_type: type, params } = (isObject(item) ? item : {}) as {
    operation_type?: unknown;
    params?: unknown;
  };
  const word = typeof type === 'string' ? type.toLowerCase() : undefined;
  const verb = batchVerbs(resource).find((each) => WORDS[each]!.toLowerCase() === word);
  const errors: ErrorDetail[] = [];
  if (type === undefined || type === null || type === '') {
    errors.push({ problem: 'MISSING_PARAMETER', parameter: 'operation_type' });
  } else if (!verb) {
    const list = batchWords(resource).sort().join(', ');
    errors.push({
      problem: 'NOT_IN_ENUM',
      parameter: 'operation_type',
      words: { list, raw: quoted(type as RawValue) },
    });
  }
  if (!isObject(params)) errors.push({ problem: 'MISSING_PARAMETER', parameter: 'params' });
  const declared = verb ? itemParameters(resource, verb) : {};
  const raw = new Map(
    Object.entries(isObject(params) ? params : {}).map(([name, value]) => [name, [value as RawValue]]),
  );
  const read = isObject(params) ? readParameters(declared, raw) : { input: {}, errors: [] };
  const plain = { account_id: call.account.id, ...unread(declared, params, read.input) };
  const shown = echo(plain, declared, read.input, raw);
  return {
    verb,
    input: read.input,
    errors: [...errors, ...read.errors],
    echo: `{"params":${shown},"operation_type":${JSON.stringify(verb ? WORDS[verb] : (type ?? null))}}`,
  };
}

/** The invalid parameters of an item, which a batch echoes as received. @source campaigns 13; decision 48 */
function unread(declared: Parameters, params: unknown, input: Input): Record<string, RawValue> {
  const received = Object.entries(isObject(params) ? params : {});
  return Object.fromEntries(
    received.filter(([name]) => Object.hasOwn(declared, name) && !Object.hasOwn(input, name)),
  ) as Record<string, RawValue>;
}

const itemParameterSets = new WeakMap<AnyResource, Partial<Record<Verb, Parameters>>>();

/** The parameters of an item: those of the single call, plus the id that is in its path. */
export function itemParameters(resource: AnyResource, verb: Verb): Parameters {
  let sets = itemParameterSets.get(resource);
  if (!sets) {
    const named = { [resource.idParameter]: id().required() };
    const creating = { ...createParameters(resource), ...resource.batch?.creating };
    sets = { create: creating, update: { ...named, ...updateParameters(resource) }, remove: named };
    itemParameterSets.set(resource, sets);
  }
  return sets[verb]!;
}

/** The rows that the items of a batch need. */
function expectedOf(resource: AnyResource, call: AccountCall, items: readonly Item[]): Preload {
  const created = items.filter(({ verb }) => verb === 'create');
  const others = items.filter(({ verb }) => verb !== 'create');
  const references = Object.entries(resource.fields as Record<string, Field>).filter(([, field]) => field.target);
  return {
    changed: distinct(others.map(({ input }) => input[resource.idParameter])),
    referenced: references.map(([name, field]) => ({
      target: field.target!() as AnyResource,
      ids: distinct(items.map(({ input }) => input[name])),
      deleted: field.deletedTarget,
      lock: field.locksTarget,
    })),
    uniqueKeys: resource.unique
      ? distinct(created.map(({ input }) => draftOf(resource, call, input, '')[UNIQUE_KEY]))
      : [],
  };
}

function distinct(values: readonly unknown[]): string[] {
  return [...new Set(values.filter((value) => typeof value === 'string'))];
}

async function applyItems(
  tx: WriteTransaction,
  resource: AnyResource,
  call: AccountCall,
  items: readonly Item[],
  ids: readonly WriteIds[],
  request: string,
): Promise<AppliedChange[]> {
  const made: AppliedChange[] = [];
  const errors: ErrorDetail[][] = items.map(() => []);
  for (const [index, item] of items.entries()) {
    try {
      made.push(await applyItem(tx, resource, call, item, ids[index]!));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      errors[index]!.push(...error.errors);
    }
  }
  refuseItems(errors, request);
  for (const excess of await quotaErrors(tx, resource, call, net(made))) {
    // The last items that raise the count are the ones beyond the limit.
    // @source decision 51
    const raising = items.map((_, index) => index).filter((index) => excess.raising[index]);
    for (const index of raising.slice(-excess.by)) errors[index]!.push(excess.error);
  }
  refuseItems(errors, request);
  const whole = await changeSetErrors(tx, resource, call, made, { isBatch: true });
  for (const { index, error } of whole) errors[index]!.push(error);
  refuseItems(errors, request);
  return made;
}

/** The net changes of a batch: a row counts as raised only by the last item that changes it. @source decision 51 */
function net(made: readonly AppliedChange[]): AppliedChange[] {
  const last = new Map(made.map((change, index) => [change.after.id, index]));
  const first = new Map<string, AppliedChange>();
  for (const change of made) if (!first.has(change.after.id)) first.set(change.after.id, change);
  return made.map((change, index) =>
    last.get(change.after.id) === index
      ? { before: first.get(change.after.id)!.before, after: change.after }
      : { before: change.after, after: change.after },
  );
}

function applyItem(
  tx: WriteTransaction,
  resource: AnyResource,
  call: AccountCall,
  item: Item,
  ids: WriteIds,
): Promise<AppliedChange> {
  if (item.verb === 'create') return applyCreate(tx, resource, call, item.input, ids);
  const key = keyFrom(resource, call.account.id, String(item.input[resource.idParameter]));
  if (item.verb === 'update') return applyUpdate(tx, resource, call, item.input, key, ids);
  return applyRemove(tx, resource, call, key, ids);
}

function refuseItems(errors: readonly (readonly ErrorDetail[])[], request: string): void {
  if (errors.some((each) => each.length > 0)) throw new BatchProblem(errors, request);
}
