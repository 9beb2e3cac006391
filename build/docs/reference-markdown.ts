import type { Operation } from '../../src/contract/declare/operation.ts';
import { RATES } from '../../src/contract/declare/rates.ts';
import { type Family, type ProblemName, problems } from '../../src/contract/problems/problems.ts';
import { declaredProblems } from '../../src/engine/declared-problems.ts';
import { credentialWords, parameterWords } from '../../src/engine/describe/words.ts';
import { workedExamples } from '../../src/http/reference/worked-examples.ts';
import { type DescribedApi, groupsOf } from '../openapi/openapi.ts';
import { shellSnippet } from '../snippets/shell.ts';
import { snippetPlan } from '../snippets/steps.ts';
import { bodyTables, itemsWords, type MemberTable, replyTables } from './member-words.ts';
import { problemWords, rateWords, sharedProblems, successorOf } from './words.ts';

/**
 * Every operation with its parameters, errors, reply and example, in Markdown; `before` is inserted between the title
 * and the operations.
 */
export function endpointsMarkdown(
  operations: readonly Operation[],
  { limits, servers: { sandbox } }: DescribedApi,
  before: string,
): string {
  const groups = groupsOf(operations).map(({ name, about, operations: own }) => {
    const sections = own.map((operation) => operationMarkdown(operation, operations, { limits, sandbox }));
    return [`## ${name}`, about, ...sections].join('\n\n');
  });
  return ['# Endpoints', GENERATED, ABOUT_EXAMPLES, before, ...groups, objectsMarkdown(operations), ''].join('\n\n');
}

const ABOUT_EXAMPLES = `Examples work as they are against the demo world of \`npm start\`, in the folder where it was started. The page
\`/docs/reference\` of a running server has them for Node.js and Python too.`;

/** Every problem with its code and message in each API family, in Markdown. */
export function problemsMarkdown(operations: readonly Operation[]): string {
  const rows = (Object.keys(problems) as ProblemName[]).map((name) => {
    const row = problems[name];
    const said = (family: Family): string => (row[family] ? row[family].map(code).join(' ') : '');
    return `| ${code(name)} | ${row.when} | ${said('ads')} | ${said('numeric')} | ${said('problem')} |`;
  });
  const common = (family: Family): string =>
    sharedProblems(operations.filter((operation) => operation.family === family))
      .map(code)
      .join(', ');
  return [
    '# Problems',
    GENERATED,
    'Status, code and message of each, in the advertising interface, on the paths with numeric codes, and in version 2 where\nthat differs.',
    ['| Name | When | Advertising | Numeric | Version 2 |', '|---|---|---|---|---|', ...rows].join('\n'),
    `Every advertising call can end with ${common('ads')}.`,
    `Every call with numeric codes can end with ${common('numeric')}.`,
    '',
  ].join('\n\n');
}

/** The header of a file that `npm run generate` writes. */
export const GENERATED = '<!-- Written by `npm run generate`; do not edit. -->';

/** An operation with its parameters, errors, reply and example, below a heading of its call. */
export function operationMarkdown(
  operation: Operation,
  all: readonly Operation[],
  { limits, sandbox }: { readonly limits: Parameters<typeof rateWords>[1]; readonly sandbox: string },
): string {
  const common = sharedProblems(all.filter((each) => each.family === operation.family));
  const own = declaredProblems(operation).filter((name) => !common.includes(name));
  const successor = successorOf(operation);
  const facts = [
    `- Roles: ${operation.roles ? operation.roles.join(', ') : 'none needed'}`,
    `- Limit: ${rateWords(operation, limits)} (${code(RATES[operation.rate].setting)})`,
    ...(operation.credential ? [`- Credential: ${credentialWords(operation)}`] : []),
    ...(successor ? [`- Deprecated: use ${code(successor)}`] : []),
    ...(operation.onlyIn ? [`- Exists in: ${operation.onlyIn}`] : []),
    ...(operation.aliases ?? []).map((path) => `- Also: ${code(path)}`),
    ...(own.length > 0 ? [`- Problems of its own: ${codesOf(operation, own)}`] : []),
    ...(operation.itemProblems ? [`- Problems of items: ${codesOf(operation, operation.itemProblems)}`] : []),
  ];
  const parameters = parameterWords(operation).map((each) => {
    const type = [each.type, each.limits].filter(Boolean).join(', ');
    const words = [each.about, each.choices.length > 0 ? `One of ${each.choices.map(code).join(' ')}.` : ''];
    const fallback = each.fallback === '' ? '' : code(each.fallback);
    return `| ${code(each.name)} | ${each.place} | ${type} | ${each.isRequired ? 'yes' : ''} | ${fallback} | ${cell(words.filter(Boolean).join(' '))} |`;
  });
  const table = [
    '| Parameter | In | Type | Required | Default | Meaning |',
    '|---|---|---|---|---|---|',
    ...parameters,
  ];
  return [
    `### ${operation.method} ${operation.path}`,
    operation.description,
    facts.join('\n'),
    ...(parameters.length > 0 ? [table.join('\n')] : []),
    ...bodyMarkdown(operation),
    replyMarkdown(operation),
    exampleMarkdown(operation, all, sandbox),
  ].join('\n\n');
}

/** The members of a body in JSON, and of the named objects in it. */
function bodyMarkdown(operation: Operation): string[] {
  return bodyTables(operation).map((table) => {
    const about = `The body, in JSON${itemsWords(operation)}:`;
    return `${table.title ?? about}\n\n${memberMarkdown(table, ['', 'yes'], 'Required')}`;
  });
}

/** The members of the reply; those of named objects are in a table of their own. */
function replyMarkdown(operation: Operation): string {
  const body = replyTables(operation).find(({ title }) => title === undefined);
  const status = `Reply: ${operation.success ?? 200}`;
  return body ? `${status}, with\n\n${memberMarkdown(body)}` : `${status}.`;
}

/** A table for each named object in replies. */
function objectsMarkdown(operations: readonly Operation[]): string {
  const named = new Map(operations.flatMap(replyTables).map((table) => [table.title ?? '', table]));
  named.delete('');
  const sorted = [...named].sort(([a], [b]) => (a < b ? -1 : 1));
  return ['## Objects in replies', ...sorted.map(([title, table]) => `### ${title}\n\n${memberMarkdown(table)}`)].join(
    '\n\n',
  );
}

function memberMarkdown(
  { members }: MemberTable,
  [optional, always] = ['not always', 'always'],
  head = 'Present',
): string {
  const rows = members.map(({ name, type, limits, choices, isNullable, isOptional, about }) => {
    const types = [type, isNullable && type !== 'null' ? 'or null' : '', limits].filter(Boolean).join(', ');
    const words = [about, choices.length > 0 ? `One of ${choices.map(code).join(' ')}.` : ''].filter(Boolean).join(' ');
    return `| ${code(name)} | ${types} | ${isOptional ? optional : always} | ${cell(words)} |`;
  });
  return [`| Member | Type | ${head} | Meaning |`, '|---|---|---|---|', ...rows].join('\n');
}

function exampleMarkdown({ id }: Operation, all: readonly Operation[], sandbox: string): string {
  const { variables, examples } = workedExamples();
  const example = examples[id]!;
  const plan = snippetPlan(example, variables, (named) => all.find((each) => each.id === named)!, sandbox);
  const { reply } = example;
  const text = typeof reply === 'string' ? reply : JSON.stringify(reply, null, 1);
  const shell = `\`\`\`sh\n${shellSnippet(plan)}\n\`\`\``;
  return text.trim() === '' ? shell : `${shell}\n\n\`\`\`json\n${text}\n\`\`\``;
}

function codesOf(operation: Operation, names: readonly ProblemName[]): string {
  const said = problemWords(operation, names).map(({ status, code: word }) => `${status} ${code(String(word))}`);
  return [...new Set(said)].join(', ');
}

function code(text: string | number): string {
  return `\`${cell(String(text))}\``;
}

/** Escapes a table cell: a bar would end it. */
function cell(text: string): string {
  return text.replace(/(?<!\\)\|/g, '\\|');
}
