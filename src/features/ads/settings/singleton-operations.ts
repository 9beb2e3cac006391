import { type Schema, Type } from '../../../base/json-schema.ts';
import type { StoredValue } from '../../../contract/declare/fields.ts';
import type { AccountCall, AccountOperation, Answer, Input, Parameters } from '../../../contract/declare/operation.ts';
import type { AnyResource, Fields, Row } from '../../../contract/declare/resource.ts';
import { rowOf } from '../../../rows/draft.ts';
import { rowWriter, valueSchema } from '../../../rows/serializer.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';

/** The key of a singleton resource. */
type RecordKey = Record<'account' | 'id', string>;

/** A singleton resource: it always exists, and can be read and updated but not created or deleted. */
interface Singleton {
  /** The resource that stores the values. */
  readonly resource: AnyResource;
  /** Names in replies that differ from parameter names: parameter -> reply member. */
  readonly replyNames?: Readonly<Record<string, string>>;
  /** The reply member with the id of the record; undefined if an account has only one. */
  readonly idMember?: string;
  /** The path below the account. */
  readonly path: string;
  readonly get: Pick<AccountOperation, 'description' | 'problems'>;
  readonly update: Pick<AccountOperation, 'description' | 'problems'>;
  /** Returns the key of the record of a call. @throws if the caller may not access it */
  key(tx: ReadTransaction, call: AccountCall, verb: 'get' | 'update'): Promise<RecordKey>;
}

/** Builds the GET and PUT operations of a singleton resource. Until the first update, defaults are returned. */
export function singletonOperations(singleton: Singleton): readonly [get: AccountOperation, update: AccountOperation] {
  const { resource, path, idMember, replyNames = {} } = singleton;
  const fields = resource.fields as Fields;
  const common = {
    path: `/12/accounts/:account_id/${path}`,
    group: resource.plural,
    groupDescription: resource.description,
    family: 'ads',
    body: 'form',
    shape: 'one',
    reply: schemaOf(singleton),
  } as const;
  const toJson = rowWriter(fields, replyNames);
  const answer = (row: Row): Answer => ({ data: toJson(row, idMember === undefined ? {} : { [idMember]: row.id }) });
  const defaultRow = ({ account, id }: RecordKey, { now }: AccountCall): Row =>
    rowOf(resource, { account: { id: account }, now }, {}, id);
  return [
    {
      ...common,
      ...singleton.get,
      id: `${resource.plural}.get`,
      method: 'GET',
      roles: resource.roles.read,
      rate: 'reads',
      parameters: {},
      perform: (call) =>
        call.services.store.read(async (tx) => {
          const key = await singleton.key(tx, call, 'get');
          const row = await tx.records.get(resource, key, { deleted: 'hidden' });
          return answer((row as Row | undefined) ?? defaultRow(key, call));
        }),
    },
    {
      ...common,
      ...singleton.update,
      id: `${resource.plural}.update`,
      method: 'PUT',
      roles: resource.roles.write,
      rate: 'writes',
      parameters: parametersOf(fields, replyNames),
      perform: (call) =>
        call.services.store.write(async (tx) => {
          // Prevents concurrent first updates from both inserting a row.
          await tx.records.lockAccount(call.account.id);
          const key = await singleton.key(tx, call, 'update');
          const changes = { ...changesOf(fields, replyNames, call.input), updated_at: call.now };
          const before = (await tx.records.get(resource, key, { deleted: 'hidden' })) as Row | undefined;
          if (before) {
            await tx.records.update(resource, key, changes);
            return answer({ ...before, ...changes } as Row);
          }
          const row = { ...defaultRow(key, call), ...changes } as Row;
          await tx.records.insert(resource, row);
          return answer(row);
        }),
    },
  ];
}

/**
 * Reply names are accepted as parameters too, so that replies can be sent back; the parameter name takes precedence.
 * @source decision 164
 */
function parametersOf(fields: Fields, replyNames: Readonly<Record<string, string>>): Parameters {
  const also = Object.entries(replyNames).map(([written, read]) => {
    return [read, fields[written]!.describe(`Alias of \`${written}\`, under the name it has in replies.`)] as const;
  });
  return { ...fields, ...Object.fromEntries(also) } as Parameters;
}

function changesOf(fields: Fields, replyNames: Readonly<Record<string, string>>, input: Input) {
  const changes: Record<string, StoredValue | null> = {};
  for (const name of Object.keys(fields)) {
    const value = input[name] === undefined ? input[replyNames[name] ?? ''] : input[name];
    if (value !== undefined) changes[name] = value;
  }
  return changes;
}

function schemaOf({ resource, idMember, replyNames = {} }: Singleton): Schema {
  const members = Object.entries(resource.fields as Fields).map(([name, field]) => [
    replyNames[name] ?? name,
    valueSchema(field),
  ]);
  const key = idMember === undefined ? {} : { [idMember]: Type.String() };
  return Type.Closed({ ...key, ...Object.fromEntries(members) }, { title: resource.label });
}
