import type { AdsError } from './generated/types.ts';

/** The code of an error: a word of the advertising API, or a number of the others. */
export type ErrorCode = AdsError['code'] | (number & {}) | (string & {});

/** One error of a reply, whatever the form in which its API reports errors. */
export interface ErrorItem {
  readonly code?: ErrorCode;
  readonly message: string;
  /** The parameter that is wrong. */
  readonly parameter?: string;
}

/** A refused call. */
export class BarkerError extends Error {
  override readonly name = 'BarkerError';
  /** The operation that was called, such as `campaigns.create`. */
  readonly operation: string;
  readonly status: number;
  readonly errors: readonly ErrorItem[];
  /** The errors of each item of a batch, in order; an item without errors has an empty list. */
  readonly itemErrors: readonly (readonly ErrorItem[])[];
  /** Names this reply in the log of the server. */
  readonly requestId: string | undefined;
  /** What a development server says about the mistake. */
  readonly hint: string | undefined;
  /** When to try again, in seconds from now; undefined if the reply does not say. */
  readonly retryAfter_s: number | undefined;
  readonly headers: Headers;
  /** The body as received: parsed if it is JSON, else a text. */
  readonly body: unknown;

  constructor(operation: string, response: Response, body: unknown) {
    const [errors, itemErrors] = errorsIn(body);
    const { status, headers } = response;
    const words = [...errors, ...itemErrors.flat()].map(({ code, message }) =>
      code ? `${code}: ${message}` : message,
    );
    const hint = headers.get('x-hint') ?? undefined;
    super(
      `${operation}: ${status} ${[...new Set(words)].join('; ') || response.statusText}${hint ? ` (${hint})` : ''}`,
    );
    this.operation = operation;
    this.status = status;
    this.errors = errors;
    this.itemErrors = itemErrors;
    this.requestId = headers.get('x-transaction-id') ?? undefined;
    this.hint = hint;
    this.retryAfter_s = waitOf(headers);
    this.headers = headers;
    this.body = body;
  }

  /** The codes of all errors, without repetitions. */
  get codes(): ErrorCode[] {
    const all = [...this.errors, ...this.itemErrors.flat()].flatMap(({ code }) => code ?? []);
    return [...new Set(all)];
  }

  /** The first parameter that is wrong; undefined if the error is about something else. */
  get parameter(): string | undefined {
    return [...this.errors, ...this.itemErrors.flat()].find((each) => each.parameter !== undefined)?.parameter;
  }
}

/** The seconds until a retry makes sense: as told, or until the window of a used-up limit ends. */
function waitOf(headers: Headers): number | undefined {
  const after = headers.get('retry-after');
  if (after !== null && /^\d+$/.test(after)) return Number(after);
  const now_ms = Date.parse(headers.get('date') ?? '') || Date.now();
  const ends = ['x-rate-limit', 'x-account-rate-limit']
    .filter((prefix) => headers.get(`${prefix}-remaining`) === '0')
    .map((prefix) => Number(headers.get(`${prefix}-reset`)) - now_ms / 1000);
  return ends.length > 0 ? Math.max(0, Math.ceil(Math.max(...ends))) : undefined;
}

type Members = Readonly<Record<string, unknown>>;

/** The errors of a reply, and those of its items. */
function errorsIn(body: unknown): [ErrorItem[], ErrorItem[][]] {
  if (typeof body !== 'object' || body === null) return [body ? [{ message: String(body) }] : [], []];
  const { errors, operation_errors: ofItems, error, detail, title } = body as Members;
  const listed = listOf(errors).flatMap(itemOf);
  const items = listOf(ofItems).map((each) => listOf(each).flatMap(itemOf));
  if (listed.length > 0 || items.length > 0) return [listed, items];
  const message = detail ?? error ?? title;
  return [message === undefined ? [] : [{ message: String(message) }], []];
}

function itemOf(error: unknown): ErrorItem[] {
  if (typeof error !== 'object' || error === null) return [];
  const { code, message, detail, title, parameter, parameters } = error as Members;
  const named = parameter ?? Object.keys((parameters as Members | undefined) ?? {})[0];
  return [
    {
      message: String(message ?? detail ?? title),
      ...(code === undefined ? {} : { code: code as ErrorCode }),
      ...(named === undefined ? {} : { parameter: String(named) }),
    },
  ];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
