// On either database: the servers that it starts have one of their own.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, mock, test } from 'node:test';
import { transformSync } from 'esbuild';
import type { Document, PlacedOperation, Schema } from '../../build/client/document.ts';
import { behind, operationsOf, sentBody } from '../../build/client/document.ts';
import { methodPath } from '../../build/client/modules.ts';
import {
  NOW,
  RECEIVER,
  recordExamples,
  type SendCall,
  sendCall,
  workedExamplesText,
} from '../../build/docs/examples/record.ts';
import { largeDocs } from '../../build/docs/generated-docs.ts';
import { type ExampleCall, workedExamples } from '../../src/http/reference/worked-examples.ts';
import { started } from '../commands/program.ts';
import { recipes } from './recipes.ts';
import { openTypedProject, type TypedModule, type TypedProject } from './typed-client.ts';

let project: TypedProject;
let client: TypedModule;
before(async () => {
  project = await openTypedProject();
  client = await project.load();
});
after(() => project.remove());

const document = JSON.parse(largeDocs()['openapi.json']) as Document;
const described = new Map(operationsOf(document).map((operation) => [operation.operationId, operation]));

test('is small: what a browser loads has less than 30 kB', () => {
  const text = readFileSync(join(project.folder, 'node_modules/@barker-ads/client/dist/index.js'), 'utf8');
  const { code } = transformSync(text, { minify: true, format: 'esm' });
  assert.ok(code.length < 30_000, String(code.length));
  // The table of operations is half of it.
  assert.ok(code.length - /\{oauth:\{[\s\S]*?\}\}/.exec(code)![0].length < 15_000);
});

test('the programs of its page and of docs/clients.md have the types that they need', async () => {
  const page = readFileSync('docs/typed-client.md', 'utf8');
  const blocks = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block]) => block!);
  assert.equal(blocks.length, 7);
  project.write('page.mts', blocks.join('\n'));
  project.write('tutorial.mts', tutorial());
  await project.compile(['page.mts', 'tutorial.mts'], '--types', 'node');
  project.write('browser.mts', blocks.slice(0, 3).join('\n'));
  const strictest = ['--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--lib', 'es2024,dom,dom.iterable'];
  await project.compile(['browser.mts'], '--types', '', ...strictest);
});

test('refuses wrong programs', async () => {
  const wrong = [
    "barker.campaigns.get({ account_id: 'a' })",
    "barker.campaigns.create({ account_id: 'a', name: 'b', funding_instrument_id: 'c', daily_budget_amount_local_micro: '5' })",
    "barker.lineItems.list({ account_id: 'a', line_items: [] })",
    "barker.campaigns.update({ account_id: 'a', campaign_id: 'b', entity_status: 'RUNNING' })",
    'barker.campaign.list()',
    "(await barker.campaigns.get({ account_id: 'a', campaign_id: 'b' })).data.budget",
  ];
  const head = "import type { BarkerClient } from '@barker-ads/client';\ndeclare const barker: BarkerClient;\n";
  project.write('wrong.mts', head + wrong.map((line) => `${line};\n`).join(''));
  const { message } = await project
    .compile(['wrong.mts'], '--types', 'node')
    .then(assert.fail, (error: Error) => error);
  const lines = [...message.matchAll(/^wrong\.mts\((\d+),/gm)].map(([, line]) => Number(line));
  assert.deepEqual(
    [...new Set(lines)],
    wrong.map((_, index) => index + 3),
    message,
  );
});

function tutorial(): string {
  return recipes().find(({ title }) => title === 'The typed client')!.text;
}

test('the tutorial takes less than 30 lines, and ends with spend', async () => {
  assert.ok(tutorial().split('\n').length < 30);
  const folder = mkdtempSync(join(tmpdir(), 'barker-typed-server-'));
  const server = started(['dev', '--data', folder, '--port', '0', '--sandbox-port', '0', '--people', '5000'], {
    input: null,
  });
  try {
    await server.saw(/Try it:/);
    symlinkSync(folder, join(project.folder, 'data'));
    project.write('tutorial.mts', tutorial());
    const said = await project.run(process.execPath, ['tutorial.mts']);
    const [, amount] = /^First line item spent \$(\d+\.\d\d)\n$/.exec(said) ?? [];
    assert.ok(Number(amount) > 0, said);
  } finally {
    server.child.kill();
    await server.ended;
    rmSync(folder, { recursive: true, force: true });
  }
});

test('performs the example of every operation as any other client does', async () => {
  // The clock of the examples stands still, and signatures have its time.
  mock.timers.enable({ apis: ['Date'], now: NOW });
  const called = new Set<string>();
  try {
    const recorded = workedExamplesText(await recordExamples(throughClient(called)));
    const stored = readFileSync('src/http/reference/generated/worked-examples.json', 'utf8').split('\n');
    for (const [index, line] of recorded.split('\n').entries()) assert.equal(line, stored[index]);
  } finally {
    mock.timers.reset();
  }
  const missing = [...described.keys()].filter((id) => !called.has(id));
  assert.deepEqual(missing, ['activity.stream']);
});

/** Sends a call with the typed client. */
function throughClient(called: Set<string>): SendCall {
  return async (place, call, values) => {
    const operation = described.get(call.operation);
    // Steps of logins are no operations of the client, and its stream yields events instead of a text.
    if (!operation || call.operation === 'activity.stream') return sendCall(place, call, values);
    called.add(call.operation);
    let status = 0;
    const { file, receiver } = place;
    const prefix = call.app === 'messages' ? 'messages_' : '';
    const own = `${prefix}${call.as === 'other' ? 'other_' : ''}access_token`;
    const member = (name: string): string => file[name as 'user_id'];
    const { consumer, token } = call.keys ?? {};
    const pairOf = (given: { key: string; secret: string } | undefined, key: string, secret: string): string[] =>
      given ? [given.key, given.secret] : [member(key), member(secret)];
    const barker = new client.BarkerClient({
      url: file.sandbox_url,
      consumer: pairOf(consumer, `${prefix}consumer_key`, `${prefix}consumer_secret`),
      token: pairOf(token, own, `${own}_secret`),
      bearer: values.get('BEARER'),
      publisher: values.get('PUBLISHER'),
      onResponse: (response: Response) => {
        status = response.status;
      },
    });
    const [group, method] = methodPath(operation);
    const params = JSON.parse(JSON.stringify(paramsOf(operation, call)).replaceAll(RECEIVER, receiver)) as object;
    const reply = await barker[group]![method]!(params);
    const text = reply === undefined ? '' : JSON.stringify(reply);
    return { status, text: text.replaceAll(receiver, RECEIVER) };
  };
}

/** The parameters of an example as programs write them: numbers, truth values and lists where the document has them. */
function paramsOf(operation: PlacedOperation, { path, query, form, json }: ExampleCall): Record<string, unknown> {
  const names = operation.path.split('/');
  const inPath = path
    .split('/')
    .flatMap((piece, at) => (names[at]!.startsWith('{') ? [[names[at]!.slice(1, -1), piece]] : []));
  const typed = Object.entries({ ...query, ...form }).map(([name, text]) => [name, typedValue(operation, name, text)]);
  const body = Array.isArray(json) ? { body: json } : (json as object | undefined);
  return { ...Object.fromEntries(inPath), ...Object.fromEntries(typed), ...body };
}

function typedValue(operation: PlacedOperation, name: string, text: string): unknown {
  const body = sentBody(operation)?.schema;
  const parts = (body?.allOf ?? (body ? [body] : [])).map((each) => behind(each, document).properties ?? {});
  const inQuery = operation.parameters?.find((each) => each.name === name)?.schema;
  const schema: Schema = inQuery ?? Object.assign({}, ...parts)[name] ?? {};
  const types = [schema.type].flat();
  if (types.includes('array')) return text.split(',');
  if (types.includes('boolean')) return text === 'true';
  const words = [...(schema.enum ?? []), ...(schema.anyOf ?? []).map((each) => each.const)];
  const isNumber = types.includes('integer') || types.includes('number') || words.includes(Number(text));
  return isNumber ? Number(text) : text;
}

test('the types of all operations fit the recorded calls and replies', async () => {
  const lines = [...described.values()].map((operation) => {
    const { call, reply } = workedExamples().examples[operation.operationId]!;
    const [group, method] = methodPath(operation);
    const params = JSON.stringify(paramsOf(operation, call));
    if (operation.operationId === 'activity.stream') return `barker.activity.stream(${params});\n`;
    const said = reply === '' ? 'undefined' : JSON.stringify(reply);
    return `void (async (): Promise<Reply<BarkerClient['${group}']['${method}']>> => {
  await barker.${group}.${method}(${params});
  return ${said};
});\n`;
  });
  const head = [
    "import type { BarkerClient } from '@barker-ads/client';",
    'declare const barker: BarkerClient;',
    'type Reply<Method extends (...all: never[]) => unknown> = Awaited<ReturnType<Method>>;\n',
  ].join('\n');
  project.write('replies.mts', head + lines.join(''));
  await project.compile(['replies.mts'], '--types', 'node');
});
