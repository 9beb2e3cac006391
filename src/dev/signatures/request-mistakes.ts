import { decode } from '../../base/percent.ts';
import { splitTarget } from '../../features/auth/oauth1/full-parser.ts';
import { type Apply, type Mistake, mistakesOf } from './mistakes.ts';
import { isForm, type SentRequest, targetOf } from './sent-request.ts';
import type { SentParameter } from './signing.ts';

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };

interface OriginParts {
  readonly scheme: string;
  readonly host: string;
  /** With its colon; empty for the default port. */
  readonly port: string;
}

function partsOf(origin: string): OriginParts {
  const [, scheme = '', host = '', port = ''] = /^(https?):\/\/(.*?)(:\d+)?$/i.exec(origin) ?? [];
  return { scheme, host, port };
}

/** Names of the loopback interface, which clients often confuse. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** The origins of a service, also by the loopback names that a client on the same machine may use. */
function originsLike(own: string, others: readonly string[]): Set<string> {
  const { host } = partsOf(own);
  const hosts = LOOPBACK.includes(host) ? LOOPBACK : [host];
  const named = [own, ...others].flatMap((origin) => {
    const { scheme, port } = partsOf(origin);
    return hosts.map((each) => `${scheme}://${each}${port}`);
  });
  return new Set([...others, ...named]);
}

/** Signs for an origin built from the parts of the actual one. */
const withOrigin =
  (build: (parts: OriginParts) => string): Apply =>
  ({ origin }) => [{ origin: build(partsOf(origin)) }];

/** Mistakes in the method and the base URI. @source RFC 5849 3.4.1.1, 3.4.1.2 */
export const urlMistakes: readonly Mistake[] = [
  ...mistakesOf('method', {
    'method-in-lower-case': [
      'The method was signed in lower case.',
      'Sign the method in upper case.',
      ({ method }) => [{ method: method.toLowerCase() }],
    ],
    'method-of-another-request': [
      'Another method was signed than was sent.',
      'Sign the method with which the request is sent, also when an override header is used.',
      (signing) =>
        ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD']
          .filter((method) => method !== signing.method)
          .map((method) => ({ method })),
    ],
  }),
  ...mistakesOf('origin', {
    'wrong-scheme': [
      'The URL was signed with the other scheme: https instead of http, or http instead of https.',
      'Sign the URL that is requested. Behind a proxy that ends TLS, the server must know its public URL.',
      withOrigin(({ scheme, host, port }) => `${scheme === 'http' ? 'https' : 'http'}://${host}${port}`),
    ],
    'host-in-upper-case': [
      'The host was signed with upper-case letters.',
      'Sign scheme and host in lower case.',
      (signing, { sent }) => {
        const { scheme, host, port } = partsOf(signing.origin);
        const capital = host.replace(/[a-z]/, (first) => first.toUpperCase());
        return [host.toUpperCase(), capital, ...sent.hostSpellings].map((spelling) => ({
          origin: `${scheme}://${spelling}${port}`,
        }));
      },
    ],
    'default-port-kept': [
      'The default port of the scheme was signed.',
      'Leave out :80 with http and :443 with https.',
      withOrigin(({ scheme, host, port }) => `${scheme}://${host}${port || `:${DEFAULT_PORTS[scheme]}`}`),
    ],
    'port-left-out': [
      'The URL was signed without its port.',
      'Sign the port unless it is the default of the scheme.',
      withOrigin(({ scheme, host }) => `${scheme}://${host}`),
    ],
    'other-origin': [
      'The URL was signed with the address of another server than the one that was called.',
      'Sign the URL that is requested, with the same host and port.',
      (signing, { sent }) =>
        [...originsLike(signing.origin, sent.otherOrigins)]
          .filter((origin) => origin !== signing.origin)
          .map((origin) => ({ origin })),
    ],
    'origin-left-out': [
      'Only the path was signed, without scheme and host.',
      'Sign the whole URL without its query.',
      () => [{ origin: '' }],
    ],
  }),
  ...mistakesOf('path', {
    'version-left-out': [
      'The path was signed without the version that it begins with.',
      'Sign the whole path as requested.',
      ({ path }) => [{ path: path.replace(/^\/[\d.]+(?=\/)/, '') }],
    ],
    'trailing-slash': [
      'The path was signed with a slash at its end that was not sent, or without one that was.',
      'Sign the path exactly as requested.',
      ({ path }) => [{ path: path.endsWith('/') ? path.slice(0, -1) : `${path}/` }],
    ],
    'path-decoded': [
      'The path was signed with its escapes decoded.',
      'Sign the path exactly as requested, with its escapes.',
      ({ path }) => [{ path: decode(path, false) ?? path }],
    ],
    'query-in-url': [
      'The base URI was signed with the query.',
      'Sign the URL without its query, and the parameters of the query among the other parameters.',
      (signing, { sent }) => {
        const { query } = splitTarget(targetOf(sent));
        if (query === '') return [];
        const path = `${signing.path}?${query}`;
        const parameters = signing.parameters.filter(({ source }) => source !== 'query');
        return [{ path }, { path, parameters }];
      },
    ],
  }),
];

/** Leaves out the parameters that meet a condition. */
const without =
  (isLeftOut: (parameter: SentParameter) => boolean): Apply =>
  ({ parameters }) => [{ parameters: parameters.filter((parameter) => !isLeftOut(parameter)) }];

/** A parameter that was signed but not sent. */
function added(name: string, value: string): SentParameter {
  return { name, value, source: 'body', raw: { name, value } };
}

/** Protocol parameters that clients send but forget to sign. */
const PROTOCOL = ['oauth_token', 'oauth_version', 'oauth_nonce', 'oauth_timestamp', 'oauth_callback', 'oauth_verifier'];

/** Mistakes in the choice and the order of the signed parameters. @source RFC 5849 3.4.1.3 */
export const parameterMistakes: readonly Mistake[] = [
  ...mistakesOf('parameters', {
    'query-left-out': [
      'The parameters of the query were not signed.',
      'Sign the parameters of the query together with those of the header.',
      without(({ source }) => source === 'query'),
    ],
    'form-left-out': [
      'The parameters of the form body were not signed.',
      'Sign the fields of a body of type application/x-www-form-urlencoded.',
      without(({ source }) => source === 'body'),
    ],
    'query-and-form-left-out': [
      'Only the parameters of the Authorization header were signed.',
      'Sign the parameters of the query and of a form body too.',
      (signing, context) => {
        const sources = new Set(signing.parameters.map(({ source }) => source));
        if (!sources.has('query') || !sources.has('body')) return [];
        return without(({ source }) => source !== 'header')(signing, context);
      },
    ],
    'body-signed': [
      'The body was signed although it is not a form.',
      'Sign only bodies of type application/x-www-form-urlencoded; a JSON body is not signed.',
      (signing, { sent }) => {
        if (isForm(sent) || !sent.body) return [];
        return readingsOf(sent).map((parameters) => ({ parameters: [...signing.parameters, ...parameters] }));
      },
    ],
    'protocol-parameter-left-out': [
      'A parameter of the Authorization header was not signed.',
      'Sign every parameter that begins with oauth_, except oauth_signature.',
      (...request) => PROTOCOL.flatMap((name) => without((parameter) => parameter.name === name)(...request)),
    ],
    'protocol-parameters-not-sent': [
      'A parameter was signed that was not sent.',
      'Send every parameter that is signed.',
      ({ parameters }) =>
        [added('oauth_version', '1.0'), added('oauth_token', ''), added('oauth_callback', 'oob')]
          .filter(({ name }) => !parameters.some((known) => known.name === name))
          .map((parameter) => ({ parameters: [...parameters, parameter] })),
    ],
    'realm-signed': [
      'The realm of the Authorization header was signed.',
      'Leave the realm out of the parameters.',
      ({ parameters }, { sent }) => {
        const realm = /[\s,]realm\s*=\s*"([^"]*)"/i.exec(sent.authorization ?? '')?.[1];
        if (realm === undefined) return [];
        return [{ parameters: [...parameters, added('realm', realm)] }];
      },
    ],
    'empty-parameters-left-out': [
      'Parameters with empty values were not signed.',
      'Sign parameters with empty values as name=.',
      without(({ value }) => value === ''),
    ],
    'repeated-parameters-merged': [
      'Of a repeated parameter only one value was signed.',
      'Sign every value of a repeated parameter.',
      ({ parameters }) => {
        const last = new Map(parameters.map((parameter) => [parameter.name, parameter]));
        const first = new Map(parameters.toReversed().map((parameter) => [parameter.name, parameter]));
        return [last, first].map((byName) => ({ parameters: [...byName.values()] }));
      },
    ],
  }),
  ...mistakesOf('order', {
    'parameters-not-sorted': [
      'The parameters were signed in another order.',
      'Sort the encoded parameters by name, then by value, in byte order.',
      ({ parameters }) => {
        const from = (name: SentParameter['source']) => parameters.filter(({ source }) => source === name);
        const orders = [
          parameters,
          [...from('query'), ...from('body'), ...from('header')],
          parameters.toSorted((left, right) => left.name.toLowerCase().localeCompare(right.name.toLowerCase(), 'en')),
        ];
        return [
          ...orders.map((each) => ({ parameters: each, order: 'sent' as const })),
          { order: 'decoded' as const },
          { order: 'names' as const },
          { parameters: parameters.toReversed(), order: 'names' as const },
        ];
      },
    ],
  }),
];

/** The parameters that clients may read from a body that is not a form. */
function readingsOf({ body = '' }: SentRequest): SentParameter[][] {
  const whole = [[added(body, '')], [added('body', body)]];
  const members = membersOf(body);
  const pairs = /^[^=&\s]+=[^&]*(&[^=&\s]+=[^&]*)*$/.test(body)
    ? [[...new URLSearchParams(body)].map(([name, value]) => added(name, value))]
    : [];
  return [...(members ? [members] : []), ...pairs, ...whole];
}

/** The members of a JSON object, with nested values as JSON. */
function membersOf(body: string): SentParameter[] | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    if (parsed === null || typeof parsed !== 'object' || Array.isArray(parsed)) return undefined;
    return Object.entries(parsed).map(([name, value]) =>
      added(name, typeof value === 'object' ? JSON.stringify(value) : String(value)),
    );
  } catch {
    return undefined;
  }
}
