import { type Html, html } from '../../../../base/html.ts';
import { formatInstant } from '../../../../base/instants.ts';
import type { Operation } from '../../../../contract/declare/operation.ts';
import { type ProblemName, problems, wordingOf } from '../../../../contract/problems/problems.ts';
import { tableOf } from '../../../../markup/tables.ts';
import type { UsageCount } from '../../../../storage/tables/application-usage.ts';
import { texts } from '../../../../texts/texts.ts';
import type { PagesDeps } from '../pages-deps.ts';

const words = texts.developer.usage;

/** Maximum number of rows that are read. */
const ROWS_MAX = 1000;
const HOUR_MS = 3_600_000;

/** The calls of applications in this hour and the 23 before it, the most frequent first. */
export async function readDailyUsage(
  { store, usage, wallClock }: Pick<PagesDeps, 'store' | 'usage' | 'wallClock'>,
  applications: readonly string[],
): Promise<readonly UsageCount[]> {
  await usage.flush();
  const since = formatInstant(Math.floor(wallClock.now() / HOUR_MS - 23) * HOUR_MS);
  return store.read((tx) => tx.applicationUsage.listSince(applications, since, ROWS_MAX));
}

const isRefused = ({ status }: UsageCount): boolean => status >= 400;

/** The number of calls, and of those that were refused. */
export function totalsOf(counts: readonly UsageCount[]): { readonly calls: number; readonly refused: number } {
  const sum = (some: readonly UsageCount[]): number => some.reduce((total, { calls }) => total + calls, 0);
  return { calls: sum(counts), refused: sum(counts.filter(isRefused)) };
}

/** Refused calls by operation and error; by application too, if their names are given by id. */
export function errorTable(
  counts: readonly UsageCount[],
  operations: readonly Operation[],
  names?: ReadonlyMap<string, string>,
): Html {
  const refused = counts.filter(isRefused).map((count) => ({ ...count, code: codeOf(operations, count) }));
  // Several problems may have the same code.
  const groups = Map.groupBy(refused, (each) =>
    [each.application_id, each.operation, each.status, each.code].join(' '),
  );
  const rows = [...groups.values()].map((group) => {
    const { application_id, operation, status, code } = group[0]!;
    return [
      operationLink(operations, operation),
      html`${status} <code>${code}</code>`,
      String(totalsOf(group).calls),
      ...(names ? [names.get(application_id) ?? ''] : []),
    ];
  });
  const heads = [words.call, words.error, { number: words.times }, ...(names ? [words.application] : [])];
  return tableOf(heads, rows, words.noErrors);
}

/** All calls by operation. */
export function callTable(counts: readonly UsageCount[], operations: readonly Operation[]): Html {
  const byOperation = Map.groupBy(counts, ({ operation }) => operation);
  const rows = [...byOperation].map(([id, group]) => [operationLink(operations, id), ...totalCells(group)]);
  return tableOf([words.call, { number: words.times }, { number: words.refused }], rows, words.noCalls);
}

/** Calls by the version of the API. */
export function versionTable(counts: readonly UsageCount[], operations: readonly Operation[]): Html {
  const pathOf = new Map(operations.map(({ id, path }) => [id, path]));
  const byVersion = Map.groupBy(counts, ({ operation }) => pathOf.get(operation)?.split('/')[1] ?? '');
  const rows = [...byVersion].sort().map(([version, group]) => [html`<code>/${version}</code>`, ...totalCells(group)]);
  return tableOf([words.version, { number: words.calls }, { number: words.refused }], rows, words.noCalls);
}

function totalCells(group: readonly UsageCount[]): string[] {
  const { calls, refused } = totalsOf(group);
  return [String(calls), String(refused)];
}

function operationLink(operations: readonly Operation[], id: string): Html {
  const operation = operations.find((each) => each.id === id);
  return operation ? html`<a href="/docs/reference/${id}">${operation.method} ${operation.path}</a>` : html`${id}`;
}

/** The code of an error, as replies have it. */
function codeOf(operations: readonly Operation[], { operation, problem }: UsageCount): string {
  const family = operations.find(({ id }) => id === operation)?.family ?? 'ads';
  return Object.hasOwn(problems, problem)
    ? String(wordingOf({ problem: problem as ProblemName }, family).code)
    : problem;
}
