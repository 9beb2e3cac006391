import { BatchProblem } from '../contract/problems/batch-problem.ts';
import { problemBody } from '../contract/problems/problem-details.ts';
import { type ErrorDetail, type Family, isFlat, Problem, problems, wordingOf } from '../contract/problems/problems.ts';

/** A reply ready to be sent. */
export interface ErrorReply {
  readonly status: number;
  readonly body: string;
}

/**
 * The error reply for a failure. Anything but a problem is an internal error, and its details are not disclosed.
 * @param path the requested path, which a flat reply names.
 * @param base returns the requested base URL; in version 2, problem types are URLs below it.
 */
export function errorReply(
  error: unknown,
  family: Family,
  params: string,
  { base, path = '' }: { readonly base: () => string; readonly path?: string },
): ErrorReply {
  if (error instanceof BatchProblem) return batchReply(error);
  const errors: readonly ErrorDetail[] = error instanceof Problem ? error.errors : [{ problem: 'INTERNAL' }];
  const [first] = errors;
  const { status } = wordingOf(first ?? { problem: 'INTERNAL' }, family);
  if (family === 'problem') return { status, body: JSON.stringify(problemBody(errors, base)) };
  if (family === 'flat' && first && isFlat(first.problem)) {
    const messages = errors.map((error) => wordingOf(error, family).message);
    return { status, body: JSON.stringify({ request: path, error: messages.join('; ') }) };
  }
  const entries = JSON.stringify(errors.map((error) => errorMember(error, family)));
  if (family !== 'ads') return { status, body: `{"errors":${entries}}` };
  // A JSON batch endpoint echoes a list of operations, the others their parameters.
  const request = params.startsWith('[') ? params : `{"params":${params}}`;
  return { status, body: `{"errors":${entries},"request":${request}}` };
}

function batchReply(error: BatchProblem): ErrorReply {
  const operationErrors = error.items.map((errors) => errors.map((error) => errorMember(error, 'ads')));
  return { status: 400, body: `{"operation_errors":${JSON.stringify(operationErrors)},"request":${error.request}}` };
}

function errorMember(error: ErrorDetail, family: Family): Record<string, unknown> {
  const { code, message } = wordingOf(error, family);
  if (family !== 'ads') return { code, label: problems[error.problem].label, message };
  const { parameter, attribute, details, value } = error;
  return { code, message, parameter, attribute, details, value };
}
