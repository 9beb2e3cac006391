import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { generatedDocs, largeDocs } from '../../build/docs/generated-docs.ts';
import { messagePattern } from '../../build/openapi/failures.ts';
import { operations } from '../../src/app/dependencies.ts';
import type { Operation } from '../../src/contract/declare/operation.ts';
import { type ProblemName, problems } from '../../src/contract/problems/problems.ts';
import { declaredProblems } from '../../src/engine/declared-problems.ts';
import { unreachable } from '../rig/ledger.ts';
import { openApi } from '../rig/validation.ts';

describe('the generated documents', () => {
  for (const [name, text] of Object.entries(generatedDocs())) {
    test(`docs/generated/${name} is up to date`, () => {
      const stored = readFileSync(`docs/generated/${name}`, 'utf8');
      assert.ok(stored === text, `docs/generated/${name} is stale; run: npm run generate`);
    });
  }
});

describe('the OpenAPI document', () => {
  const described = Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );

  test('has every operation once, with its other paths, and nothing else', () => {
    const declared = operations.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    assert.deepEqual(described.sort(), declared.sort());
    const others = Object.values(openApi.paths).flatMap((methods) =>
      Object.values(methods).flatMap((each) => (each['x-other-paths'] ?? []) as string[]),
    );
    assert.deepEqual(others.sort(), operations.flatMap(({ aliases = [] }) => aliases).sort());
    assert.ok(others.length >= 10);
  });

  test('marks what exists in the sandbox only', () => {
    const marked = Object.values(openApi.paths)
      .flatMap((methods) => Object.values(methods))
      .filter((each) => each['x-environment'] === 'sandbox')
      .map((each) => each.operationId);
    const only = operations.filter((each) => each.onlyIn === 'sandbox').map((each) => each.id);
    assert.deepEqual(marked.sort(), only.sort());
    assert.ok(only.length > 0);
  });

  test('declares every object of replies as closed', () => {
    const open: string[] = [];
    const walk = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const { type, additionalProperties, properties } = value as Record<string, unknown>;
      if (type === 'object' && properties && additionalProperties === undefined) open.push(path);
      for (const [name, member] of Object.entries(value)) walk(member, `${path}/${name}`);
    };
    for (const [path, methods] of Object.entries(openApi.paths)) {
      for (const [method, operation] of Object.entries(methods)) walk(operation.responses, `${path}/${method}`);
    }
    const { schemas, responses } = openApi.components as Record<string, Record<string, unknown>>;
    walk(responses, 'responses');
    for (const [name, schema] of Object.entries(schemas!)) if (!/Body/.test(name)) walk(schema, name);
    assert.deepEqual(open, []);
  });
});

test('the members of a JSON body have descriptions wherever the body is described', () => {
  type Schema = { readonly description?: string; readonly properties?: Readonly<Record<string, Schema>> };
  const { schemas } = openApi.components as { readonly schemas: Readonly<Record<string, Schema>> };
  const { filter, tag } = schemas.SubscriptionsCreateBody!.properties!;
  assert.equal(tag!.description, 'Your label; repeated in each event.');
  assert.match(filter!.properties!.user_id!.description!, /^Only events of this user/);
  const members = operations.flatMap(({ id, bodyMembers: members = {} }) =>
    Object.entries(members).map(([name, { description }]) => [id, name, description] as const),
  );
  assert.ok(members.length >= 15);
  for (const [id, name, about] of members) assert.notEqual(about, '', `${id} ${name}`);
});

test('every member of every JSON body is in the reference', () => {
  interface Schema {
    readonly $ref?: string;
    readonly anyOf?: readonly Schema[];
    readonly oneOf?: readonly Schema[];
    readonly items?: Schema;
    readonly properties?: Readonly<Record<string, Schema>>;
  }
  interface Described {
    readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  }
  const { schemas } = openApi.components as { readonly schemas: Readonly<Record<string, Schema>> };
  const page = largeDocs()['endpoints.md'];
  const named = (ref: string): Schema => schemas[ref.split('/').at(-1)!]!;
  const contentOf = ({ method, path }: Operation): Readonly<Record<string, { readonly schema: Schema }>> =>
    (openApi.paths[path.replace(/:(\w+)/g, '{$1}')]![method.toLowerCase()] as unknown as Described).requestBody
      ?.content ?? {};
  const bodies = operations.filter((each) => Object.keys(contentOf(each)).join() === 'application/json');
  assert.equal(bodies.length, 17);
  for (const operation of bodies) {
    const { id, method, path } = operation;
    const refs = new Set<string>();
    const members = (schema: Schema, prefix: string): string[] => {
      // What bodies consist of has a name only in the document.
      if (schema.$ref !== undefined && /Body/.test(schema.$ref)) return members(named(schema.$ref), prefix);
      if (schema.$ref !== undefined) refs.add(schema.$ref);
      const own = Object.entries(schema.properties ?? {}).flatMap(([name, each]) => {
        const full = prefix === '' ? name : `${prefix}.${name}`;
        return [full, ...members(each, full)];
      });
      const items = schema.items === undefined ? [] : members(schema.items, `${prefix}[]`);
      const branches = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
      return [...own, ...items, ...branches.flatMap((each) => members(each, prefix))];
    };
    const { schema } = contentOf(operation)['application/json']!;
    const tables = [new Set(members(schema, ''))];
    // Named objects contain others.
    for (const ref of refs) tables.push(new Set(members(named(ref), '')));
    const section = page.split(`\n### ${method} ${path}\n`)[1]!.split('\n### ')[0]!;
    const shown = section.split('| Member | Type | Required | Meaning |\n|---|---|---|---|\n').slice(1);
    const rows = shown.flatMap((table) =>
      [...table.split('\n\n')[0]!.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name!),
    );
    assert.deepEqual(rows.sort(), tables.flatMap((names) => [...names]).sort(), id);
    assert.ok(rows.length > 0);
  }
});

describe('what is deprecated', () => {
  interface Described {
    readonly operationId: string;
    readonly deprecated?: boolean;
    readonly 'x-replaced-by'?: string;
    readonly responses: Record<string, { headers?: Record<string, { $ref: string }>; $ref?: string }>;
  }
  const described = Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.values(methods as unknown as Record<string, Described>).map((each) => [path, each] as const),
  );
  const { headers, responses } = openApi.components as {
    headers: Record<string, { required?: boolean }>;
    responses: Record<string, Described['responses'][string]>;
  };
  /** The headers of a reply that tell of it, with whether they are always there. */
  const told = (response: Described['responses'][string]): Record<string, boolean> => {
    const whole = response.$ref ? responses[response.$ref.split('/').at(-1)!]! : response;
    return Object.fromEntries(
      Object.entries(whole.headers ?? {})
        .filter(([name]) => /^(deprecation|link|sunset|x-api-warn)$/.test(name))
        .map(([name, { $ref }]) => [name, headers[$ref.split('/').at(-1)!]!.required ?? false]),
    );
  };

  test('is marked in the OpenAPI document, with its replacement', () => {
    const marked = described.filter(([, each]) => each.deprecated);
    const former = marked.filter(([path]) => path.startsWith('/5/'));
    assert.ok(former.length >= 5);
    for (const [, each] of former) assert.match(each['x-replaced-by']!, /^\/12\//);
    const others = marked.filter(([path]) => !path.startsWith('/5/'));
    assert.deepEqual(
      others.map(([path, each]) => [path, each['x-replaced-by']]),
      [['/2/account_activity/replay/webhooks/{webhook_id}/subscriptions/all', '/2/webhooks/replay']],
    );
  });

  test('is reported in headers of every reply of a deprecated operation', () => {
    const [, old] = described.find(([, each]) => each.operationId === 'account_activity.replay')!;
    for (const [status, response] of Object.entries(old.responses)) {
      assert.deepEqual(told(response), { deprecation: true, link: true, sunset: false, 'x-api-warn': false }, status);
    }
  });

  test('is reported in headers of successful replies to deprecated input', () => {
    const [, create] = described.find(([, each]) => each.operationId === 'subscriptions.create')!;
    const all = Object.entries(create.responses).map(([status, response]) => [status, told(response)]);
    assert.deepEqual(
      all.filter(([, found]) => Object.keys(found!).length > 0),
      [['200', { deprecation: false, link: false, 'x-api-warn': false }]],
    );
  });

  test('is reported by nothing else', () => {
    const tells = described.filter(([, { responses }]) =>
      Object.values(responses).some((each) => 'deprecation' in told(each)),
    );
    assert.deepEqual(tells.map(([, { operationId }]) => operationId).sort(), [
      'account_activity.replay',
      'subscriptions.create',
    ]);
  });
});

describe('the table of problems', () => {
  test('has only problems that an operation can have', () => {
    assert.deepEqual(unreachable(operations), []);
  });

  test('has a wording in each family whose operations have the problem', () => {
    const unsaid = operations.flatMap((operation) =>
      declaredProblems(operation)
        .filter((name) => !(problems[name][operation.family] ?? (operation.family !== 'ads' && problems[name].numeric)))
        .map((name) => `${operation.id} ${name}`),
    );
    assert.deepEqual(unsaid, []);
  });

  test('has templates whose patterns match only their messages', () => {
    for (const name of Object.keys(problems) as ProblemName[]) {
      for (const wording of [problems[name].ads, problems[name].numeric, problems[name].problem]) {
        if (!wording) continue;
        const pattern = new RegExp(messagePattern(wording[2]), 'u');
        assert.match(wording[2].replace(/\{\w+\}/g, 'any\nthing "at" all'), pattern);
        if (name !== 'INVALID') assert.doesNotMatch('Something else.', pattern, name);
      }
    }
  });
});
