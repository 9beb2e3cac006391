import { splitTarget } from '../../features/auth/oauth1/full-parser.ts';
import { type Mistake, mistakesOf } from './mistakes.ts';
import { targetOf } from './sent-request.ts';
import type { Signing } from './signing.ts';

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

/** The names of the loopback interface, one of which is often signed for another. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Other origins of a service, also under the names by which a client on the same machine may know them. */
function originsLike(own: string, others: readonly string[]): Set<string> {
  const { host } = partsOf(own);
  const hosts = LOOPBACK.includes(host) ? LOOPBACK : [host];
  const named = [own, ...others].flatMap((origin) => {
    const { scheme, port } = partsOf(origin);
    return hosts.map((each) => `${scheme}://${each}${port}`);
  });
  return new Set([...others, ...named]);
}

/** The same with another origin, made from the parts of the present one. */
function withOrigin(signing: Signing, change: (parts: OriginParts) => string | undefined): Signing[] {
  const origin = change(partsOf(signing.origin));
  return origin === undefined || origin === signing.origin ? [] : [{ ...signing, origin }];
}

/** Mistakes in the method and the base URI. @source RFC 5849 3.4.1.1, 3.4.1.2 */
export const urlMistakes: readonly Mistake[] = [
  ...mistakesOf('method', {
    'method-in-lower-case': [
      'The method was signed in lower case.',
      'Sign the method in upper case.',
      (signing) => [{ ...signing, method: signing.method.toLowerCase() }],
    ],
    'method-of-another-request': [
      'Another method was signed than was sent.',
      'Sign the method with which the request is sent, also when an override header is used.',
      (signing) =>
        ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD']
          .filter((method) => method !== signing.method)
          .map((method) => ({ ...signing, method })),
    ],
  }),
  ...mistakesOf('origin', {
    'wrong-scheme': [
      'The URL was signed with the other scheme: https instead of http, or http instead of https.',
      'Sign the URL that is requested. Behind a proxy that ends TLS, the server must know its public URL.',
      (signing) =>
        withOrigin(signing, ({ scheme, host, port }) => `${scheme === 'http' ? 'https' : 'http'}://${host}${port}`),
    ],
    'host-in-upper-case': [
      'The host was signed with upper-case letters.',
      'Sign scheme and host in lower case.',
      (signing, { sent }) => {
        const { scheme, host, port } = partsOf(signing.origin);
        const capital = host.replace(/[a-z]/, (first) => first.toUpperCase());
        const spellings = new Set([host.toUpperCase(), capital, ...sent.hostSpellings]);
        spellings.delete(host);
        return [...spellings].map((spelling) => ({ ...signing, origin: `${scheme}://${spelling}${port}` }));
      },
    ],
    'default-port-kept': [
      'The default port of the scheme was signed.',
      'Leave out :80 with http and :443 with https.',
      (signing) =>
        withOrigin(signing, ({ scheme, host, port }) =>
          port === '' ? `${scheme}://${host}:${DEFAULT_PORTS[scheme]}` : undefined,
        ),
    ],
    'port-left-out': [
      'The URL was signed without its port.',
      'Sign the port unless it is the default of the scheme.',
      (signing) => withOrigin(signing, ({ scheme, host }) => `${scheme}://${host}`),
    ],
    'other-origin': [
      'The URL was signed with the address of another server than the one that was called.',
      'Sign the URL that is requested, with the same host and port.',
      (signing, { sent }) =>
        [...originsLike(signing.origin, sent.otherOrigins)]
          .filter((origin) => origin !== signing.origin)
          .map((origin) => ({ ...signing, origin })),
    ],
    'origin-left-out': [
      'Only the path was signed, without scheme and host.',
      'Sign the whole URL without its query.',
      (signing) => [{ ...signing, origin: '' }],
    ],
  }),
  ...mistakesOf('path', {
    'version-left-out': [
      'The path was signed without the version that it begins with.',
      'Sign the whole path as requested.',
      (signing) => {
        const rest = signing.path.replace(/^\/[\d.]+(?=\/)/, '');
        return rest === signing.path ? [] : [{ ...signing, path: rest }];
      },
    ],
    'trailing-slash': [
      'The path was signed with a slash at its end that was not sent, or without one that was.',
      'Sign the path exactly as requested.',
      (signing) => [{ ...signing, path: signing.path.endsWith('/') ? signing.path.slice(0, -1) : `${signing.path}/` }],
    ],
    'path-decoded': [
      'The path was signed with its escapes decoded.',
      'Sign the path exactly as requested, with its escapes.',
      (signing) => {
        const decoded = withoutEscapes(signing.path);
        return decoded === signing.path ? [] : [{ ...signing, path: decoded }];
      },
    ],
    'query-in-url': [
      'The base URI was signed with the query.',
      'Sign the URL without its query, and the parameters of the query among the other parameters.',
      (signing, { sent }) => {
        const { query } = splitTarget(targetOf(sent));
        if (query === '') return [];
        const path = `${signing.path}?${query}`;
        const parameters = signing.parameters.filter(({ source }) => source !== 'query');
        return [
          { ...signing, path },
          { ...signing, path, parameters },
        ];
      },
    ],
  }),
];

function withoutEscapes(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
