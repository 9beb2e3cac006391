import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messagePattern } from '../../build/openapi/failures.ts';
import type { Operation } from '../../src/contract/declare/operation.ts';
import { problemDetails } from '../../src/contract/problems/problem-details.ts';
import { type Family, isFlat, type ProblemName, problems } from '../../src/contract/problems/problems.ts';
import {
  declaredProblems,
  OF_VISITORS,
  ownParameterProblems,
  statusesOf,
  UNREAD,
  UNROUTED,
  wording,
} from '../../src/engine/declared-problems.ts';
import { shapeOf } from './shapes.ts';

/** A reply to record; without an operation when none answered. */
export interface Seen {
  readonly operation?: Operation;
  readonly family: Family;
  readonly status: number;
  readonly body: unknown;
}

/** Problems that are answered outside of operations. */
const UNCALLED: readonly ProblemName[] = [...UNROUTED, ...UNREAD, ...OF_VISITORS];

const folder = process.env.TEST_LEDGER;
const noted = new Set<string>();

/** Notes what a reply shows: the status of its operation, and each problem that its errors can be. */
export function recordSeen(seen: Seen): void {
  if (!folder) return;
  for (const line of linesOf(seen)) {
    if (noted.has(line)) continue;
    noted.add(line);
    appendFileSync(join(folder, `${process.pid}.txt`), `${line}\n`);
  }
}

interface SaidError {
  readonly code: string | number;
  readonly message: string;
}

function linesOf({ operation, family, status, body }: Seen): string[] {
  const { errors = [], operation_errors = [] } = (body ?? {}) as {
    errors?: SaidError[];
    operation_errors?: SaidError[][];
  };
  const names = operation ? [...declaredProblems(operation), ...(operation.itemProblems ?? [])] : UNCALLED;
  const details = family === 'problem' && status >= 300 ? (body as Record<string, unknown>) : undefined;
  const flat = family === 'flat' ? (body as { error?: string } | undefined)?.error : undefined;
  const said =
    flat !== undefined
      ? names.filter((name) => isFlat(name) && isSaidIn(flat, name))
      : details
        ? names.filter((name) => isSaidInDetail(name, details))
        : [...errors, ...operation_errors.flat()].flatMap((error) =>
            names.filter((name) => isSaidAs(name, family, error)),
          );
  const own = operation ? [`${operation.id} ${status}`, ...said.map((name) => `${operation.id} ${name}`)] : [];
  return [...own, ...said.map((name) => `${family} ${name}`)];
}

/** Whether one of the sentences of a text can be this problem. */
function isSaidIn(text: string, name: ProblemName): boolean {
  const template = wording({ family: 'flat' }, name)[2];
  return text.split('; ').some((sentence) => patternOf(template).test(sentence));
}

/** Whether a body of version 2 can say this problem: by a code or a message where there is one, else by its detail. */
function isSaidInDetail(name: ProblemName, body: Readonly<Record<string, unknown>>): boolean {
  const { status, title, detail, errors } = problemDetails(name);
  const said = (body.errors ?? []) as readonly Partial<SaidError & { title: string; detail: string }>[];
  if (errors === 'resource') {
    return said.some((error) => error.title === title && patternOf(detail).test(String(error.detail)));
  }
  if (body.title !== title || (body.status ?? 400) !== status) return false;
  const fits = (template: string, said: unknown): boolean => patternOf(template).test(String(said));
  if (errors === 'none') return fits(detail, body.detail);
  const [, code, message] = wording({ family: 'problem' }, name);
  return said.some((error) => fits(message, error.message) && (errors === 'parameters' || error.code === code));
}

/** Whether an error can be this problem. Problems that are said alike cannot be told apart by a caller either. */
function isSaidAs(name: ProblemName, family: Family, error: SaidError): boolean {
  const [, code, template] = wording({ family }, name);
  return error.code === code && patternOf(template).test(error.message);
}

const patterns = new Map<string, RegExp>();

function patternOf(template: string): RegExp {
  let pattern = patterns.get(template);
  if (!pattern) {
    pattern = new RegExp(messagePattern(template));
    patterns.set(template, pattern);
  }
  return pattern;
}

/**
 * What no test has seen: statuses that an operation declares, problems that it says it raises itself, and problems of
 * every call that were not seen in any operation of a family. Of samples it is enough that an operation of the same shape has
 * been seen to answer so.
 */
export function unseenBy(operations: readonly Operation[], isSample: boolean, ...ledgers: readonly string[]): string[] {
  const files = ledgers.flatMap((ledger) => readdirSync(ledger).map((name) => join(ledger, name)));
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n'));
  const shapes = new Map(operations.map((operation) => [operation.id, isSample ? shapeOf(operation) : operation.id]));
  /** What has been seen, with the shape in place of the operation. */
  const inShape = (line: string): string => {
    const [id = '', answer] = line.split(' ');
    return shapes.has(id) ? `${shapes.get(id)}: ${answer}` : line;
  };
  const seen = new Set(lines.map(inShape));
  const wanted = new Set<string>();
  for (const operation of operations) {
    for (const status of statusesOf(operation)) wanted.add(`${operation.id} ${status}`);
    const members = operation.body === 'members' ? ownParameterProblems(operation) : [];
    for (const name of [...operation.problems, ...members, ...(operation.itemProblems ?? [])])
      wanted.add(`${operation.id} ${name}`);
    for (const name of declaredProblems(operation)) wanted.add(`${operation.family} ${name}`);
  }
  for (const name of UNCALLED) if (problems[name].ads) wanted.add(`ads ${name}`);
  for (const name of UNCALLED) if (problems[name].numeric) wanted.add(`numeric ${name}`);
  return [...wanted].filter((each) => !seen.has(inShape(each))).sort();
}

/** Problems of the table that no operation can raise and no route answers with. */
export function unreachable(operations: readonly Operation[]): ProblemName[] {
  const reached = new Set<ProblemName>(UNCALLED);
  for (const operation of operations) {
    for (const name of [...declaredProblems(operation), ...(operation.itemProblems ?? [])]) reached.add(name);
  }
  return (Object.keys(problems) as ProblemName[]).filter((name) => !reached.has(name));
}
