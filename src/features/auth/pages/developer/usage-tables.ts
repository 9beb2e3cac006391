import { type Html, html } from '../../../../base/html.ts';
import { formatInstant } from '../../../../base/instants.ts';
import type { Operation } from '../../../../contract/declare/operation.ts';
import { type ProblemName, problems, wordingOf } from '../../../../contract/problems/problems.ts';
import type { UsageCount } from '../../../../contract/store/application-usage.ts';
import { tableOf } from '../../../../markup/tables.ts';
import { texts } from '../../../../texts/texts.ts';
import type { DeveloperDeps } from './owner-pages.ts';

const words = texts.developer.usage;

/** Kinds of calls that are counted one by one. */
const KINDS_MAX = 1000;
const HOUR_MS = 3_600_000;

/** What applications did in this hour and the 23 before it, the most frequent first. */
export async function usageOfDay(
  { store, usage, wallClock }: Pick<DeveloperDeps, 'store' | 'usage' | 'wallClock'>,
  applications: readonly string[],
): Promise<readonly UsageCount[]> {
  await usage.flush();
  const since = formatInstant(Math.floor(wallClock.now() / HOUR_MS - 23) * HOUR_MS);
  return store.read((tx) => tx.applicationUsage.listSince(applications, since, KINDS_MAX));
}

const isRefused = ({ status }: UsageCount): boolean => status >= 400;

/** How many calls there were, and how many of them were refused. */
export function totalsOf(counts: readonly UsageCount[]): { readonly calls: number; readonly refused: number } {
  const sum = (some: readonly UsageCount[]): number => some.reduce((total, { calls }) => total + calls, 0);
  return { calls: sum(counts), refused: sum(counts.filter(isRefused)) };
}

/** Whose calls a table is about: several applications are named. */
interface Told {
  readonly operations: readonly Operation[];
  /** Names by id; undefined where all are of one application. */
  readonly names?: ReadonlyMap<string, string>;
}

/** Refused calls by application, operation and error. */
export function errorTable(counts: readonly UsageCount[], { operations, names }: Told): Html {
  const told = counts.filter(isRefused).map((count) => ({ ...count, code: codeOf(operations, count) }));
  // Several problems may have the same code.
  const kinds = Map.groupBy(told, (each) => [each.application_id, each.operation, each.status, each.code].join(' '));
  const rows = [...kinds.values()].map((those) => {
    const { application_id, operation, status, code } = those[0]!;
    return [
      operationLink(operations, operation),
      html`${status} <code>${code}</code>`,
      String(totalsOf(those).calls),
      ...(names ? [names.get(application_id) ?? ''] : []),
    ];
  });
  const heads = [words.call, words.error, { number: words.times }, ...(names ? [words.application] : [])];
  return tableOf(heads, rows, words.noErrors);
}

/** All calls by operation. */
export function callTable(counts: readonly UsageCount[], { operations }: Told): Html {
  const byOperation = Map.groupBy(counts, ({ operation }) => operation);
  const rows = [...byOperation].map(([operation, those]) => {
    const { calls, refused } = totalsOf(those);
    return [operationLink(operations, operation), String(calls), String(refused)];
  });
  return tableOf([words.call, { number: words.times }, { number: words.refused }], rows, words.noCalls);
}

/** Calls by the version of the API. */
export function versionTable(counts: readonly UsageCount[], { operations }: Told): Html {
  const pathOf = new Map(operations.map(({ id, path }) => [id, path]));
  const versionOf = ({ operation }: UsageCount): string => pathOf.get(operation)?.split('/')[1] ?? '';
  const rows = [...Map.groupBy(counts, versionOf)].sort().map(([version, those]) => {
    const { calls, refused } = totalsOf(those);
    return [html`<code>/${version}</code>`, String(calls), String(refused)];
  });
  return tableOf([words.version, { number: words.calls }, { number: words.refused }], rows, words.noCalls);
}

function operationLink(operations: readonly Operation[], id: string): Html {
  const operation = operations.find((each) => each.id === id);
  return operation ? html`<a href="/reference/${id}">${operation.method} ${operation.path}</a>` : html`${id}`;
}

/** The code of an error, as replies have it. */
function codeOf(operations: readonly Operation[], { operation, problem }: UsageCount): string {
  const family = operations.find(({ id }) => id === operation)?.family ?? 'ads';
  return Object.hasOwn(problems, problem)
    ? String(wordingOf({ problem: problem as ProblemName }, family).code)
    : problem;
}
