import { BatchProblem } from '../contract/problems/batch-problem.ts';
import { problemBody } from '../contract/problems/problem-details.ts';
import { type ErrorDetail, type Family, isFlat, Problem, problems, wordingOf } from '../contract/problems/problems.ts';
import type { ErrorWords } from './vocabulary/error-words.ts';

/** A reply ready to be sent. */
interface ErrorReply {
  readonly status: number;
  readonly body: string;
}

/** The context of an error reply. */
interface ReplyContext {
  /** Returns the requested base URL; in version 2, problem types are URLs below it. */
  readonly base: () => string;
  /** The requested path, which a flat reply names. */
  readonly path?: string;
  /** Translates the error, if an alias file is in use. */
  readonly words?: ErrorWords | undefined;
  /** Returns the text for people about an error, added to each entry as `text`. */
  readonly textOf?: ((error: ErrorDetail) => string) | undefined;
}

/**
 * Builds the error reply for a failure. Anything but a problem is an internal error, whose details are not disclosed.
 */
export function errorReply(
  error: unknown,
  family: Family,
  params: string,
  { base, path = '', words, textOf }: ReplyContext,
): ErrorReply {
  if (error instanceof BatchProblem) return batchReply(error, { words, textOf });
  const own: readonly ErrorDetail[] = error instanceof Problem ? error.errors : [{ problem: 'INTERNAL' }];
  const errors = words ? own.map(words.detail) : own;
  const [first] = errors;
  const { status } = wordingOf(first ?? { problem: 'INTERNAL' }, family);
  if (family === 'problem') return { status, body: JSON.stringify(problemBody(errors, base, words?.template)) };
  if (family === 'flat' && first && isFlat(first.problem)) {
    const messages = errors.map((error) => wordingOf(error, family, words?.template).message);
    const texts = textOf && errors.map((each) => ({ text: textOf(each) }));
    return { status, body: JSON.stringify({ request: path, error: messages.join('; '), errors: texts }) };
  }
  const entries = JSON.stringify(errors.map((error) => errorMember(error, family, { words, textOf })));
  if (family !== 'ads') return { status, body: `{"errors":${entries}}` };
  // A JSON batch endpoint echoes a list of operations, the others their parameters.
  const request = params.startsWith('[') ? params : `{"params":${params}}`;
  return { status, body: `{"errors":${entries},"request":${request}}` };
}

function batchReply(error: BatchProblem, wording: Wording): ErrorReply {
  const { words } = wording;
  const operationErrors = error.items.map((errors) =>
    errors.map((error) => errorMember(words ? words.detail(error) : error, 'ads', wording)),
  );
  return { status: 400, body: `{"operation_errors":${JSON.stringify(operationErrors)},"request":${error.request}}` };
}

type Wording = Pick<ReplyContext, 'words' | 'textOf'>;

function errorMember(error: ErrorDetail, family: Family, { words, textOf }: Wording): Record<string, unknown> {
  const { code, message } = wordingOf(error, family, words?.template);
  const text = textOf?.(error);
  if (family !== 'ads') return { code, label: problems[error.problem].label, message, text };
  const { parameter, attribute, details, value } = error;
  return { code, message, text, parameter, attribute, details, value };
}
