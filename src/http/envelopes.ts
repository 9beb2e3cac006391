import { BatchProblem } from '../contract/problems/batch-problem.ts';
import { problemBody } from '../contract/problems/problem-details.ts';
import { type Family, type Fault, isFlat, Problem, problems, wordingOf } from '../contract/problems/problems.ts';

/** A reply ready to be sent. */
export interface Reply {
  readonly status: number;
  readonly body: string;
}

/**
 * What is said of a failure. Anything that is not a problem is a fault of ours, of which nothing is told.
 * @param path what was asked for, which a flat reply names.
 * @param base tells the address that was asked; version 2 names pages below it.
 */
export function failureReply(
  error: unknown,
  family: Family,
  params: string,
  { base, path = '' }: { readonly base: () => string; readonly path?: string },
): Reply {
  if (error instanceof BatchProblem) return batchReply(error);
  const faults: readonly Fault[] = error instanceof Problem ? error.faults : [{ problem: 'INTERNAL' }];
  const [first] = faults;
  const { status } = wordingOf(first ?? { problem: 'INTERNAL' }, family);
  if (family === 'problem') return { status, body: JSON.stringify(problemBody(faults, base)) };
  if (family === 'flat' && first && isFlat(first.problem)) {
    const said = faults.map((fault) => wordingOf(fault, family).message);
    return { status, body: JSON.stringify({ request: path, error: said.join('; ') }) };
  }
  const errors = JSON.stringify(faults.map((fault) => presentFault(fault, family)));
  if (family !== 'ads') return { status, body: `{"errors":${errors}}` };
  // A JSON endpoint echoes a list of operations, the others their parameters.
  const request = params.startsWith('[') ? params : `{"params":${params}}`;
  return { status, body: `{"errors":${errors},"request":${request}}` };
}

function batchReply(error: BatchProblem): Reply {
  const operationErrors = error.items.map((faults) => faults.map((fault) => presentFault(fault, 'ads')));
  return { status: 400, body: `{"operation_errors":${JSON.stringify(operationErrors)},"request":${error.request}}` };
}

function presentFault(fault: Fault, family: Family): Record<string, unknown> {
  const { code, message } = wordingOf(fault, family);
  if (family !== 'ads') return { code, label: problems[fault.problem].label, message };
  const { parameter, attribute, details, value } = fault;
  return { code, message, parameter, attribute, details, value };
}
