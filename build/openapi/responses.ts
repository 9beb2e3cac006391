import type { Operation } from '../../src/contract/declare/operation.ts';
import { RATES } from '../../src/contract/declare/rates.ts';
import { statusesOf, successesOf, wording } from '../../src/engine/declared-problems.ts';
import type { Json, NamedSchemas } from '../../src/engine/describe/schemas.ts';
import { exampleReply } from './examples.ts';
import { problemsOfStatus } from './failures.ts';

const DEPRECATION = [
  'Since when, or from when on, what was used is deprecated: `@` and Unix seconds (RFC 9745).',
  { type: 'string', pattern: '^@\\d+$' },
] as const;
const COUNT = { type: 'integer' };
const LINK = [
  'What to read about that, or what takes its place.',
  { type: 'string', pattern: '^<[^>]+>; rel="(deprecation|successor-version)"$' },
] as const;

/**
 * The reply headers: the description and form of each. Headers that are required in some replies only have a second
 * name here.
 */
export const HEADERS: Readonly<Record<string, Json>> = {
  'x-transaction-id': header('Names this reply in the log.', { type: 'string', pattern: '^[0-9a-f]{16}$' }, true),
  'x-current-api-version': header('The version that is served.', { const: '12' }, true),
  'x-access-level': header('What the token may do.', { enum: ['read', 'read-write', 'read-write-directmessages'] }),
  'x-rate-limit-limit': header('Calls in a window of the caller.', { type: 'integer' }),
  'x-rate-limit-remaining': header('Calls left in this window.', { type: 'integer' }),
  'x-rate-limit-reset': header('When the window ends, Unix seconds.', { type: 'integer' }),
  'x-account-rate-limit-limit': header('Calls in a window of the account.', { type: 'integer' }),
  'x-account-rate-limit-remaining': header('Calls left in this window.', { type: 'integer' }),
  'x-account-rate-limit-reset': header('When the window ends, Unix seconds.', { type: 'integer' }),
  'x-concurrent-job-limit': header('Jobs of the account that may be unfinished at a time.', COUNT, true),
  'x-concurrent-job-limit-remaining': header('How many more jobs may be created now.', COUNT, true),
  'retry-after': header('Seconds until a retry makes sense.', { type: 'integer' }, true),
  'www-authenticate': header('The scheme to use.', { type: 'string', pattern: '^(OAuth|Bearer) realm=' }, true),
  allow: header('The methods that the path has.', { type: 'string' }, true),
  deprecation: header(...DEPRECATION, true),
  link: header(...LINK, true),
  'deprecation-of-input': header(...DEPRECATION),
  'link-of-input': header(...LINK),
  sunset: header('From when on the path is no more (RFC 8594); absent while that is not decided.', { type: 'string' }),
  'x-api-warn': header('What is deprecated and what to use instead, once its time has come.', { type: 'string' }),
};

function header(description: string, schema: Json, required?: true): Json {
  return { description, ...(required ? { required } : {}), schema };
}

/** Returns the schema of the body of a reply; undefined if there is no body. */
export type DescribeBody = (operation: Operation, status: number, named: NamedSchemas) => Json | undefined;

function headersFor(operation: Operation, status: number): Json {
  const window = (prefix: string): string[] => ['limit', 'remaining', 'reset'].map((end) => `${prefix}-${end}`);
  const isCounted = status < 300 || status === 429;
  const names = [
    'x-transaction-id',
    ...(operation.family === 'ads' ? ['x-current-api-version'] : []),
    ...(status === 405 ? ['allow'] : [...levelHeader(operation), ...window('x-rate-limit')]),
    ...(RATES[operation.rate].perAccount && isCounted ? window('x-account-rate-limit') : []),
    ...(status < 300 ? (operation.replyHeaders ?? []) : []),
    ...(status === 429 || status === 503 ? ['retry-after'] : []),
    ...(status === 401 ? ['www-authenticate'] : []),
  ];
  const found = [...names.map((name) => [name, name] as const), ...deprecationHeaders(operation, status)];
  return Object.fromEntries(found.map(([name, key]) => [name, { $ref: `#/components/headers/${key}` }]));
}

/** Deprecated operations send the headers with every reply, those with deprecated input only when it was used. */
function deprecationHeaders(
  { deprecation, deprecatedInput, sunset, replacedBy }: Operation,
  status: number,
): (readonly [name: string, key: string])[] {
  const warning = ['x-api-warn', 'x-api-warn'] as const;
  if (deprecation) {
    const always = ['deprecation', 'link', ...(sunset ? ['sunset'] : [])].map((name) => [name, name] as const);
    return [...always, warning];
  }
  if (deprecatedInput && status < 300) {
    return [['deprecation', 'deprecation-of-input'], ['link', 'link-of-input'], warning];
  }
  return replacedBy ? [warning] : [];
}

/** Only a user's token has an access level. */
function levelHeader({ credential = 'user' }: Operation): string[] {
  return credential === 'user' || credential === 'user-or-bearer' || credential === 'owner-or-basic'
    ? ['x-access-level']
    : [];
}

/**
 * All replies of an operation, by status.
 * @param recorded a successful one of a real run; undefined if there is none.
 */
export function responses(operation: Operation, named: NamedSchemas, recorded: unknown, bodyOf: DescribeBody): Json {
  return Object.fromEntries(
    statusesOf(operation).map((status) => {
      const isSuccess = successesOf(operation).includes(status);
      return [
        String(status),
        {
          description: isSuccess ? DONE[status] : failureText(operation, status),
          headers: headersFor(operation, status),
          ...contentOf(operation, status, recorded, bodyOf(operation, status, named)),
          ...(isSuccess ? {} : { 'x-problems': problemsOfStatus(operation, status) }),
        },
      ];
    }),
  );
}

const DONE: Readonly<Record<number, string>> = {
  200: 'Done.',
  201: 'Made.',
  202: 'Begun.',
  204: 'Done; there is nothing to say.',
};

function contentOf(operation: Operation, status: number, recorded: unknown, schema: Json | undefined): Json {
  if (schema === undefined) return {};
  const { example, success = 200 } = operation;
  const reply = status === success ? (example ? exampleReply(operation) : recorded) : undefined;
  const shown = reply === undefined ? {} : { example: reply };
  return { content: { [mediaType(operation, status)]: { schema, ...shown } } };
}

function mediaType({ family, shape }: Operation, status: number): string {
  if (status === 200 && shape === 'form') return 'text/html';
  return status >= 300 && family === 'problem' ? 'application/problem+json' : 'application/json';
}

function failureText(operation: Operation, status: number): string {
  const codes = problemsOfStatus(operation, status).map((name) => wording(operation, name)[1]);
  return `${[...new Set(codes)].join(', ')}.`;
}
