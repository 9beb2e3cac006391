import type { Answer, Operation } from '../contract/operation.ts';
import { type Family, type Fault, Problem, wordingOf } from '../contract/problems.ts';
import { BatchProblem } from '../engine/batch.ts';

/** A reply ready to be sent. */
export interface Reply {
  readonly status: number;
  readonly body: string;
}

/**
 * The envelope of an answer: the echo of the request beside the data, as its shape wants it.
 * @source advertising: Response envelope
 */
export function envelope(operation: Operation, answer: Answer, params: string): string {
  if (operation.shape === 'bare') return answer.data;
  const request = answer.request ?? `{"params":${params}}`;
  if (operation.shape !== 'list') return `{"request":${request},"data":${answer.data}}`;
  const next = answer.nextCursor == null ? 'null' : `"${answer.nextCursor}"`;
  const total = answer.totalCount === undefined ? '' : `,"total_count":${answer.totalCount}`;
  return `{"request":${request},"next_cursor":${next}${total},"data":${answer.data}}`;
}

/** What is said of a failure. Anything that is not a problem is a fault of ours, of which nothing is told. */
export function failureReply(error: unknown, family: Family, params: string): Reply {
  if (error instanceof BatchProblem) return batchReply(error);
  const faults: readonly Fault[] = error instanceof Problem ? error.faults : [{ problem: 'INTERNAL' }];
  const [first] = faults;
  const { status } = wordingOf(first ?? { problem: 'INTERNAL' }, family);
  const errors = JSON.stringify(faults.map((fault) => presentFault(fault, family)));
  if (family === 'numeric') return { status, body: `{"errors":${errors}}` };
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
  if (family === 'numeric') return { code, message };
  const { parameter, attribute, details, value } = fault;
  return { code, message, parameter, attribute, details, value };
}
