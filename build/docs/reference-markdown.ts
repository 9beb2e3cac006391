import type { Operation } from '../../src/contract/declare/operation.ts';
import { RATES } from '../../src/contract/declare/rates.ts';
import { type Family, type ProblemName, problems } from '../../src/contract/problems/problems.ts';
import { declaredProblems } from '../../src/engine/declared-problems.ts';
import {
  credentialWords,
  parameterWords,
  problemWords,
  rateWords,
  sharedProblems,
  successorOf,
} from '../../src/engine/describe/words.ts';
import { type DescribedService, groupsOf } from '../../src/engine/describe.ts';

/**
 * Every operation with its parameters and errors, in Markdown; `before` is inserted between the title and the
 * operations.
 */
export function endpointsMarkdown(
  operations: readonly Operation[],
  limits: DescribedService['limits'],
  before: string,
): string {
  const groups = groupsOf(operations).map(({ name, about, operations: own }) => {
    const sections = own.map((operation) => operationMarkdown(operation, operations, limits));
    return [`## ${name}`, about, ...sections].join('\n\n');
  });
  return ['# Endpoints', GENERATED, before, ...groups, ''].join('\n\n');
}

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

function operationMarkdown(
  operation: Operation,
  all: readonly Operation[],
  limits: DescribedService['limits'],
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
  ].join('\n\n');
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
