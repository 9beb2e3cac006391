import { AssertionError } from 'node:assert';
import { activityRules } from './activity.ts';
import { analyticsRules } from './analytics.ts';
import { openApi, type Removals, type Session, type Target } from './api.ts';
import { authenticationRules } from './authentication.ts';
import { campaignsRules } from './campaigns.ts';
import { creativesRules } from './creatives.ts';
import { type Rule, Skipped } from './rule.ts';
import { readProtocol } from './sentences.ts';

/** All checks, a module for each chapter. */
export const RULES: readonly Rule[] = [
  ...authenticationRules,
  ...activityRules,
  ...campaignsRules,
  ...creativesRules,
  ...analyticsRules,
];

/** What became of a check. */
export interface Result {
  readonly id: string;
  readonly sentence: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Why it failed or was skipped. */
  readonly reason?: string;
}

/** The checks of some chapters (`authentication`), sections (`authentication 2`) or sentences; all without any. */
export function chosenRules(only: readonly string[]): readonly Rule[] {
  if (only.length === 0) return RULES;
  return RULES.filter(({ id }) =>
    only.some((part) => id === part || id.startsWith(`${part}.`) || id.startsWith(`${part} `)),
  );
}

/** Checks a server, one sentence after the other. */
export async function runRules(
  rules: readonly Rule[],
  target: Target,
  report: (result: Result) => void = () => {},
): Promise<Result[]> {
  const sentences = new Map(readProtocol().flatMap((section) => section.sentences.map(({ id, text }) => [id, text])));
  const session: Session = { bearers: new Map(), shared: new Map(), removals: [] };
  const results: Result[] = [];
  for (const each of rules) {
    const result = { id: each.id, sentence: sentences.get(each.id) ?? '', ...(await outcomeOf(each, target, session)) };
    results.push(result);
    report(result);
  }
  await removeAll(session.removals);
  return results;
}

async function outcomeOf(
  { check }: Rule,
  target: Target,
  session: Session,
): Promise<Pick<Result, 'outcome' | 'reason'>> {
  const removals: Removals = [];
  try {
    await check(openApi(target, session, removals));
    await removeAll(removals);
    return { outcome: 'passed' };
  } catch (error) {
    await removeAll(removals).catch(() => {});
    const reason = textOf(error);
    return { outcome: error instanceof Skipped ? 'skipped' : 'failed', reason };
  }
}

async function removeAll(removals: Removals): Promise<void> {
  for (const remove of removals.splice(0).reverse()) await remove();
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return `${error.message}${error instanceof AssertionError ? '' : cause}`.replace(/\s*\n\s*/g, ' ').slice(0, 600);
}
