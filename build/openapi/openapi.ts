import { createHash } from 'node:crypto';
import type { Environment } from '../../src/contract/declare/account-state.ts';
import type { CredentialKind, Operation } from '../../src/contract/declare/operation.ts';
import { RATES, type RateSetting } from '../../src/contract/declare/rates.ts';
import { problems } from '../../src/contract/problems/problems.ts';
import { declaredProblems } from '../../src/engine/declared-problems.ts';
import type { Json, NamedSchemas } from '../../src/engine/describe/schemas.ts';
import { VERSION } from '../../src/engine/operations.ts';
import { countedPer, successorOf } from '../docs/words.ts';
import { parameterObjects, requestBody } from './inputs.ts';
import { discriminated, publishedBody, withNamedSchemas } from './published.ts';
import { type DescribeBody, HEADERS, responses } from './responses.ts';

/** Contents of the API description beyond the catalog. */
export interface DescribedApi {
  /** The base URLs of the two environments. */
  readonly servers: Readonly<Record<Environment, string>>;
  /** The rate limits, or their placeholders. */
  readonly limits: Readonly<Record<RateSetting, number | string>>;
  /** The reply to the example of an operation, by its id; undefined if there is none. */
  replyOf?(id: string): unknown;
}

const ABOUT = `A self-hosted advertising platform server.

Calls are signed with OAuth 1.0a (HMAC-SHA1). Production and sandbox are two addresses of one interface: users and
applications are shared, accounts and all below them belong to one. Operations marked \`x-environment: sandbox\` exist
in the sandbox only; in production their paths answer 405.

Money is in micro units of the account's currency, times are UTC with second precision, every documented member of an
object is always present and null when it is not set.`;

const OAUTH = `Nearly every call carries an \`Authorization: OAuth ...\` header: consumer key, access token, nonce, timestamp and an
HMAC-SHA1 signature over method, address and parameters (query and form body; a JSON body is not signed).`;

/** Security requirements other than a user's token. */
const SECURITY: Readonly<Partial<Record<CredentialKind, readonly Json[]>>> = {
  basic: [{ basic: [] }],
  bearer: [{ bearer: [] }],
  publisher: [{ publisher: [] }],
  'user-or-bearer': [{ oauth1: [] }, { bearer: [] }],
  'owner-or-basic': [{ oauth1: [] }, { basic: [] }],
};

/** The OpenAPI 3.1 description of the API, generated from its operations alone. @param bodyOf describes bodies of replies */
export function openApiOf(
  operations: readonly Operation[],
  service: DescribedApi,
  bodyOf: DescribeBody = publishedBody,
): Json {
  const { servers } = service;
  const schemas: NamedSchemas = {};
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    const template = operation.path.replace(/:(\w+)/g, '{$1}');
    paths[template] ??= {};
    paths[template][operation.method.toLowerCase()] = describe(operation, service, schemas, bodyOf);
  }
  const shared = shareRefusals(paths);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Barker',
      version: VERSION,
      description: ABOUT,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      { url: servers.production, description: 'Production' },
      { url: servers.sandbox, description: 'Sandbox' },
    ],
    security: [{ oauth1: [] }],
    tags: groupsOf(operations).map(({ name, about }) => ({ name, description: about })),
    paths,
    components: {
      securitySchemes: {
        oauth1: {
          type: 'http',
          scheme: 'OAuth',
          description: OAUTH,
          'x-oauth-version': '1.0a',
          'x-signature-method': 'HMAC-SHA1',
        },
        bearer: { type: 'http', scheme: 'bearer', description: 'Application-only bearer token.' },
        publisher: { type: 'http', scheme: 'bearer', description: 'The credential of a publisher.' },
        basic: { type: 'http', scheme: 'basic', description: 'Consumer key and secret, percent-encoded or not.' },
      },
      headers: HEADERS,
      responses: shared,
      schemas: sorted(discriminated(schemas)),
      'x-problems': problemsIn(operations),
    },
  };
}

/** A group of operations, in catalog order. */
export interface Group {
  readonly name: string;
  readonly about: string;
  readonly operations: readonly Operation[];
}

/** The operations by group. */
export function groupsOf(operations: readonly Operation[]): Group[] {
  const names = [...new Set(operations.map((operation) => operation.group))];
  return names.map((name) => {
    const own = operations.filter((operation) => operation.group === name);
    return {
      name,
      about: own.find((each) => each.groupDescription)?.groupDescription ?? own[0]!.description,
      operations: own,
    };
  });
}

/** Explains the problem names of responses, with their codes and messages. */
function problemsIn(operations: readonly Operation[]): Json {
  const names = new Set(operations.flatMap(declaredProblems));
  return Object.fromEntries([...names].map((name) => [name, problems[name]]));
}

function describe(operation: Operation, service: DescribedApi, named: NamedSchemas, bodyOf: DescribeBody): Json {
  const { limits, replyOf } = service;
  const { id, description, group, onlyIn: only, roles, rate, credential = 'user', allowsGet, aliases } = operation;
  const successor = successorOf(operation);
  const body = requestBody(operation, named);
  const parameters = parameterObjects(operation, named);
  const { setting, window_s } = RATES[rate];
  return {
    operationId: id,
    summary: description.replace(/\.$/, ''),
    tags: [group],
    ...(successor ? { deprecated: true, 'x-replaced-by': successor } : {}),
    ...(only ? { 'x-environment': only } : {}),
    ...(roles ? { 'x-roles': roles } : {}),
    'x-rate-limit': { category: rate, calls: limits[setting], window_s, per: countedPer(operation) },
    ...(SECURITY[credential] ? { security: SECURITY[credential] } : {}),
    ...(allowsGet ? { 'x-also': 'GET' } : {}),
    ...(aliases ? { 'x-other-paths': aliases } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: withNamedSchemas(operation, body, named) } : {}),
    responses: responses(operation, named, replyOf?.(operation.id), bodyOf),
  };
}

/**
 * Moves error responses into the components under names derived from their content, so that a change of one operation
 * does not rename those of others.
 */
function shareRefusals(paths: Record<string, Record<string, Json>>): Record<string, Json> {
  const shared: Record<string, Json> = {};
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const responses = operation.responses as Record<string, Json>;
    for (const [status, response] of Object.entries(responses)) {
      if (Number(status) < 400) continue;
      const digest = createHash('sha256').update(JSON.stringify(response)).digest('hex');
      const name = `Status${status}-${digest.slice(0, 8)}`;
      shared[name] = response;
      responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  return shared;
}

function sorted(schemas: NamedSchemas): NamedSchemas {
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
}
