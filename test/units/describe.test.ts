import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, test } from 'node:test';
import { generatedDocs } from '../../src/cli/generated-docs.ts';
import { type ProblemName, problems } from '../../src/contract/problems.ts';
import { messagePattern } from '../../src/engine/describe/failures.ts';
import { raisable } from '../../src/engine/raises.ts';
import { operations } from '../../src/parts.ts';
import { unreachable } from '../rig/ledger.ts';
import { openApi } from '../rig/validation.ts';

describe('the generated documents', () => {
  for (const [name, text] of Object.entries(generatedDocs())) {
    test(`docs/generated/${name} follows from the declarations`, () => {
      const stored = readFileSync(`docs/generated/${name}`, 'utf8');
      assert.ok(stored === text, `docs/generated/${name} is stale; run: npm run generate`);
    });
  }

  test('the OpenAPI document passes the linter', () => {
    const linter = resolve('node_modules/@redocly/cli/bin/cli.js');
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' };
    const ran = spawnSync(process.execPath, [linter, 'lint', 'docs/generated/openapi.json'], { env, encoding: 'utf8' });
    assert.equal(ran.status, 0, ran.stdout + ran.stderr);
    assert.match(ran.stdout + ran.stderr, /Your API description is valid/);
  });
});

describe('the OpenAPI document', () => {
  const described = Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );

  test('has every operation on each of its paths, and nothing else', () => {
    const declared = operations.flatMap(({ method, path, aliases = [] }) =>
      [path, ...aliases].map((each) => `${method} ${each.replace(/:(\w+)/g, '{$1}')}`),
    );
    assert.deepEqual(described.sort(), declared.sort());
  });

  test('marks what exists in the sandbox only', () => {
    const marked = Object.values(openApi.paths)
      .flatMap((methods) => Object.values(methods))
      .filter((each) => each['x-environment'] === 'sandbox')
      .map((each) => each.operationId);
    const only = operations.filter((each) => each.only === 'sandbox').map((each) => each.id);
    assert.deepEqual(marked.sort(), only.sort());
    assert.ok(only.length > 0);
  });

  test('closes every object that replies are made of', () => {
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
    for (const [name, schema] of Object.entries(schemas!)) if (!name.startsWith('Body.')) walk(schema, name);
    assert.deepEqual(open, []);
  });
});

test('the OpenAPI document calls deprecated what belongs to a former version, and says what takes its place', () => {
  const told = Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.values(methods as Record<string, { deprecated?: boolean; 'x-replaced-by'?: string }>)
      .filter((each) => each.deprecated)
      .map((each) => [path.split('/')[1], each['x-replaced-by']?.split('/')[1]]),
  );
  assert.ok(told.length >= 5);
  for (const versions of told) assert.deepEqual(versions, ['5', '12']);
});

describe('the table of problems', () => {
  test('has nothing that no call can end with', () => {
    assert.deepEqual(unreachable(operations), []);
  });

  test('says in each family what its operations can raise', () => {
    const unsaid = operations.flatMap((operation) =>
      raisable(operation)
        .filter((name) => !(problems[name][operation.family] ?? (operation.family !== 'ads' && problems[name].numeric)))
        .map((name) => `${operation.id} ${name}`),
    );
    assert.deepEqual(unsaid, []);
  });

  test('has templates whose patterns match what is said and nothing beside it', () => {
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
