import { type Schema, Type } from '../base/json-schema.ts';
import { boolean } from '../contract/declare/fields.ts';
import type { AccountOperation } from '../contract/declare/operation.ts';
import type { AnyResource, Verb } from '../contract/declare/resource.ts';
import type { ProblemName } from '../contract/problems/problems.ts';
import { deletedSerializerOf, inputValueSchema, serializerOf } from '../rows/serializer.ts';
import { BATCH_PROBLEMS, batchVerbs, batchWords, itemParameters, performBatch } from './batch.ts';
import { parameterProblems, ruleProblems } from './declared-problems.ts';
import { getOne } from './get.ts';
import { checkList, listPage, listParameters } from './list.ts';
import { createOne, removeOne, updateOne } from './single-writes.ts';
import { createParameters, updateParameters } from './write-parameters.ts';

/** The version in the paths of the advertising API. */
export const VERSION = '12';

/** The operations of a resource, in the order of the reference; only `accounts.list` has no account in its path. */
export function operationsOf(resource: AnyResource): AccountOperation[] {
  const verbs = resource.operations.map(
    (verb) => ({ ...shared(resource, verb), ...forVerb[verb](resource) }) as AccountOperation,
  );
  const operations = resource.batch ? [...verbs, batchOperation(resource)] : verbs;
  return operations.map((operation) => afterSettlement(operation, resource.settlesDelivery));
}

/** Settles the delivery of the account before the operation, outside its unit of work. */
function afterSettlement(operation: AccountOperation, settles: AnyResource['settlesDelivery']): AccountOperation {
  const isChange = operation.method !== 'GET';
  if (!settles || (settles === 'before-changes' && !isChange)) return operation;
  return {
    ...operation,
    perform(call) {
      const { account, services } = call;
      const { delivery } = services;
      const settled = account && (isChange ? delivery.settleBeforeChange(account) : delivery.settle(account));
      return settled ? settled.then(() => operation.perform(call)) : operation.perform(call);
    },
  };
}

function shared(resource: AnyResource, verb: Verb): Partial<AccountOperation> {
  const isRead = verb === 'list' || verb === 'get';
  const named = resource.scope === 'account' || verb !== 'list';
  return {
    id: `${resource.plural}.${verb}`,
    group: resource.plural,
    groupDescription: resource.description,
    family: 'ads',
    onlyIn: resource.sandboxOnly?.includes(verb) ? 'sandbox' : undefined,
    ...(named && { roles: isRead ? resource.roles.read : resource.roles.write }),
    allowsDeletedAccount: resource.scope === 'user' && verb === 'get',
    rate: isRead ? (verb === 'list' && resource.scope === 'user' ? 'global_reads' : resource.rate) : 'writes',
    body: resource.requests?.body && (verb === 'create' || verb === 'update') ? resource.requests?.body : 'form',
    extraEcho: resource.requests?.echoes?.[verb],
    pathParameters: resource.key && { [resource.key.name]: resource.key.field },
    replacedBy: replacementOf(resource),
    shape: verb === 'list' ? 'list' : 'one',
    reply: replyOf(resource, verb),
    problems: problemsOf(resource, verb),
  };
}

/** The path in the current version that replaces a legacy one. */
function replacementOf({ legacy }: AnyResource): string | undefined {
  return legacy && `/${VERSION}/accounts/:account_id/${legacy.now}`;
}

function replyOf(resource: AnyResource, verb: Verb): Schema {
  if (verb === 'list') return Type.Array(serializerOf(resource).schema);
  return verb === 'remove' ? deletedSerializerOf(resource).schema : serializerOf(resource).schema;
}

function problemsOf(resource: AnyResource, verb: Verb): ProblemName[] {
  if (verb === 'list') {
    const exclusive = resource.list?.without?.includes('with_total_count') ? [] : (['EXCLUSIVE_PARAMETERS'] as const);
    return [...ofParent(resource), 'CURSOR_INVALID', ...exclusive, ...(resource.list?.problems ?? [])];
  }
  const found: ProblemName[] = [
    ...ofParent(resource),
    ...(verb === 'create' ? [] : ([resource.notFound, 'ID_ILLEGAL'] as const)),
  ];
  if (verb === 'get') return found;
  return [...found, ...ruleProblems(resource, verb)];
}

function ofParent({ parent }: AnyResource): ProblemName[] {
  return parent ? [parent.resource().notFound, 'ID_ILLEGAL', ...parent.problems] : [];
}

/** The paths of the collection and of one item. */
function paths(resource: AnyResource): { all: string; one: string } {
  const all =
    resource.scope === 'account'
      ? `/${resource.legacy?.version ?? VERSION}/accounts/:account_id/${resource.path ?? resource.plural}`
      : `/${VERSION}/${resource.plural}`;
  return { all, one: `${all}/:${resource.idParameter}` };
}

const forVerb: Record<Verb, (resource: AnyResource) => Partial<AccountOperation>> = {
  list: (resource) => ({
    method: 'GET',
    path: paths(resource).all,
    description: `List ${words(resource.plural)}.`,
    parameters: listParameters(resource),
    validate: checkList,
    perform: (call) => listPage(resource, call),
  }),
  get: (resource) => ({
    method: 'GET',
    path: paths(resource).one,
    description: `Get ${oneOf(resource)}.`,
    parameters: {
      ...(resource.list?.without?.includes('with_deleted')
        ? {}
        : { with_deleted: boolean().describe('Also find a deleted row; default false.') }),
      ...resource.requests?.viewParameters,
    },
    perform: async (call) => ({ data: await getOne(resource, call) }),
  }),
  create: (resource) => ({
    method: 'POST',
    path: paths(resource).all,
    description: `Create ${oneOf(resource)}.`,
    parameters: createParameters(resource),
    validate: (input, _, named) => resource.requests?.validate?.({ verb: 'create', input, named }) ?? [],
    perform: (call) => createOne(resource, call),
  }),
  update: (resource) => ({
    method: 'PUT',
    path: paths(resource).one,
    description: `Update ${oneOf(resource)}; omitted parameters keep their values.`,
    parameters: updateParameters(resource),
    validate: (input, _, named) => resource.requests?.validate?.({ verb: 'update', input, named }) ?? [],
    perform: (call) => updateOne(resource, call),
  }),
  activate: (resource) => ({
    method: 'PUT',
    path: `${paths(resource).one}/activate`,
    description: `Activate ${oneOf(resource)}.`,
    parameters: {},
    perform: (call) => updateOne(resource, { ...call, input: { entity_status: 'ACTIVE' } }),
  }),
  remove: (resource) => ({
    method: 'DELETE',
    path: paths(resource).one,
    description: `Delete ${oneOf(resource)}.`,
    parameters: {},
    perform: (call) => removeOne(resource, call),
  }),
};

function oneOf(resource: AnyResource): string {
  return `${/^[aeiou]/.test(resource.name) ? 'an' : 'a'} ${words(resource.name)}`;
}

function words(name: string): string {
  return name.replaceAll('_', ' ');
}

function batchOperation(resource: AnyResource): AccountOperation {
  return {
    ...(shared(resource, 'create') as AccountOperation),
    id: `${resource.plural}.batch`,
    onlyIn: undefined,
    method: 'POST',
    path: `/${VERSION}/batch/accounts/:account_id/${resource.plural}`,
    description: `Create, update and delete up to ${resource.batch!.max} ${words(resource.plural)}, all or nothing.`,
    parameters: {},
    body: 'json',
    shape: 'batch',
    request: batchRequest(resource),
    reply: Type.Array(serializerOf(resource).schema),
    problems: BATCH_PROBLEMS,
    itemProblems: itemProblems(resource),
    perform: (call) => performBatch(resource, call),
  };
}

/** Batch items are parsed from JSON objects, where no name occurs twice. */
function itemProblems(resource: AnyResource): ProblemName[] {
  const found = batchVerbs(resource).flatMap((verb) => [
    ...parameterProblems(itemParameters(resource, verb), { empty: 'unsets' }),
    ...ruleProblems(resource, verb),
  ]);
  const shape: ProblemName[] = [
    'MISSING_PARAMETER',
    'NOT_IN_ENUM',
    resource.notFound,
    ...(resource.batch?.problems ?? []),
  ];
  return [...new Set([...shape, ...found])].filter((name) => name !== 'REPEATED_PARAMETER');
}

function batchRequest(resource: AnyResource): Schema {
  const items = batchVerbs(resource).map((verb, index) => {
    const parameters = itemParameters(resource, verb);
    const optional = Object.entries(parameters).map(([name, field]) => {
      const schema = inputValueSchema(field);
      return [name, field.isRequired ? schema : Type.Optional(schema)] as const;
    });
    return Type.Object({
      operation_type: Type.Literal(batchWords(resource)[index]!),
      params: Type.Object(Object.fromEntries(optional) as Record<string, Schema>),
    });
  });
  return Type.Array(Type.Union(items), { minItems: 1, maxItems: resource.batch!.max });
}
