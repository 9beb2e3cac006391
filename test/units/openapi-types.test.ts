import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { largeDocs } from '../../build/docs/generated-docs.ts';

type Node = Readonly<Record<string, unknown>>;

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Node }>>;
}

interface Described {
  readonly operationId: string;
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content & { readonly $ref?: string }>>;
}

const openApi = JSON.parse(largeDocs()['openapi.json']) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Node>>;
    readonly responses: Readonly<Record<string, Content>>;
    readonly 'x-problems': Readonly<Record<string, Node>>;
  };
};
const { schemas, responses: shared } = openApi.components;
const described = Object.values(openApi.paths).flatMap((methods) => Object.values(methods));

/** Calls `each` for all objects of a part of the document but examples. */
function walk(value: unknown, place: string, each: (node: Node, place: string) => void): void {
  if (Array.isArray(value)) for (const [at, item] of value.entries()) walk(item, `${place}/${at}`, each);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  each(value as Node, place);
  for (const [name, member] of Object.entries(value)) {
    if (name !== 'example' && name !== 'examples') walk(member, `${place}/${name}`, each);
  }
}

const nameOf = (ref: unknown): string => String(ref).split('/').at(-1)!;
const behind = (schema: Node): Node => (schema.$ref ? schemas[nameOf(schema.$ref)]! : schema);

describe('the types that generators make of the OpenAPI document', () => {
  const bodies = described.flatMap(({ operationId, requestBody, responses }) => [
    ...(requestBody ? [[operationId, requestBody] as const] : []),
    ...Object.values(responses).map((each) => [operationId, each.$ref ? shared[nameOf(each.$ref)]! : each] as const),
  ]);

  test('have names, for every body in JSON', () => {
    const contents = bodies.flatMap(([id, { content = {} }]) =>
      Object.entries(content).map(([type, { schema }]) => ({ id, type, schema })),
    );
    const json = contents.filter(({ type }) => type.endsWith('json'));
    assert.ok(json.length > 1500);
    const isNamed = ({ $ref, anyOf }: Node): boolean =>
      $ref !== undefined || ((anyOf ?? []) as readonly Node[]).some((each) => each.$ref !== undefined);
    assert.deepEqual(
      json.filter(({ schema }) => !isNamed(schema)).map(({ id }) => id),
      [],
    );
  });

  test('are those of the resource, whatever the call', () => {
    const replyOf = (id: string): string => {
      const { responses } = described.find(({ operationId }) => operationId === id)!;
      const done = responses[200]!;
      const { content } = done.$ref ? shared[nameOf(done.$ref)]! : done;
      return nameOf(content!['application/json']!.schema.$ref);
    };
    for (const verb of ['create', 'get', 'update', 'remove'])
      assert.equal(replyOf(`campaigns.${verb}`), 'CampaignReply');
    assert.equal(replyOf('campaigns.list'), 'CampaignListReply');
    assert.equal(replyOf('campaigns.batch'), 'CampaignBatchReply');
    assert.equal(replyOf('line_items.get'), 'LineItemReply');
  });

  test('have names that are identifiers in any language', () => {
    for (const name of Object.keys(schemas)) {
      assert.match(name, /^[A-Z][A-Za-z0-9]*$/);
      assert.ok(!(name in globalThis), name);
    }
    for (const { operationId } of described) assert.match(operationId, /^[a-z0-9_]+\.[a-z0-9_]+$/);
  });

  test('do not change with the wording of messages', () => {
    const messages = Object.values(openApi.components['x-problems']).flatMap((row) =>
      Object.values(row).flatMap((each) => (Array.isArray(each) ? [String(each[2])] : [])),
    );
    assert.ok(messages.length > 200);
    const fixed: string[] = [];
    walk([openApi.paths, schemas, shared], '', ({ const: only, enum: words = [], pattern }, place) => {
      for (const text of [only, ...(words as unknown[])]) if (messages.includes(String(text))) fixed.push(place);
      if (/\/(message|detail|title|error)$/.test(place) && pattern !== undefined) fixed.push(place);
    });
    assert.deepEqual(fixed, []);
    const { message } = schemas.AdsError!.properties as Readonly<Record<string, Node>>;
    for (const example of message!.examples as readonly string[]) assert.ok(messages.includes(example), example);
  });

  test('have a discriminator wherever a member tells the objects of a union apart', () => {
    const words = (branch: Node, member: string): unknown[] => {
      const { const: only, enum: several = [] } =
        (behind(branch).properties as Readonly<Record<string, Node>>)?.[member] ?? {};
      return [only, ...(several as unknown[])].filter((each) => each !== undefined);
    };
    let marked = 0;
    const unmarked: string[] = [];
    walk([openApi.paths, schemas, shared], '', (node, place) => {
      const branches = ((node.oneOf ?? node.anyOf ?? []) as readonly Node[]).filter(({ type }) => type !== 'null');
      if (branches.length < 2 || !branches.every((each) => behind(each).type === 'object')) return;
      const { discriminator } = node as { discriminator?: { propertyName: string; mapping: Record<string, string> } };
      if (discriminator) {
        marked += 1;
        const { propertyName, mapping } = discriminator;
        const said = branches.flatMap((each) => words(each, propertyName).map((word) => [word, each.$ref]));
        assert.deepEqual(mapping, Object.fromEntries(said), place);
        assert.equal(said.length, Object.keys(mapping).length, place);
        for (const each of branches) assert.ok((behind(each).required as string[]).includes(propertyName), place);
        return;
      }
      for (const member of Object.keys(behind(branches[0]!).properties ?? {})) {
        const all = branches.map((each) => words(each, member));
        if (all.every(({ length }) => length > 0) && new Set(all.flat()).size === all.flat().length) {
          unmarked.push(`${place}: ${member}`);
        }
      }
    });
    assert.deepEqual(unmarked, []);
    assert.ok(marked >= 10, String(marked));
  });

  test('come from paths that no other path repeats', () => {
    const paths = Object.keys(openApi.paths);
    assert.deepEqual(
      paths.filter((path) => paths.includes(path.replace(/\.json$/, '')) && path.endsWith('.json')),
      [],
    );
    const ids = described.map(({ operationId }) => operationId);
    assert.equal(new Set(ids).size, ids.length);
  });
});
