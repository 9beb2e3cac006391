import { InputError } from '../../base/input-error.ts';
import type { CredentialKind } from '../../contract/declare/operation.ts';
import { splitTarget } from '../../features/auth/oauth1/full-parser.ts';
import type { CurlRequest } from './curl.ts';
import { type SentRequest, targetOf } from './sent-request.ts';

/**
 * The request that a command or a form describes, as the service would receive it.
 * @param origins the base URLs of the service.
 * @throws InputError when the URL cannot be read.
 */
export function describedRequest({ method, url, headers, body }: CurlRequest, origins: readonly string[]): SentRequest {
  // As curl does.
  const absolute = /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `http://${url}`;
  const parsed = URL.parse(absolute);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) throw new InputError(`${url} is not a URL with http or https`);
  // As written: the parser of URLs would change escapes.
  const [, authority = '', target = ''] = /^[^:]+:\/\/([^/?#]*)([^#]*)/.exec(absolute) ?? [];
  const host = authority.replace(/^.*@/, '').replace(/:\d*$/, '');
  const { username, password } = parsed;
  const basic = `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`;
  const authorization = headers.get('authorization') ?? (username === '' ? undefined : basic);
  return {
    ...{ method, target: target.startsWith('/') ? target : `/${target}`, origins: [parsed.origin] },
    hostSpellings: host.toLowerCase() === host ? [] : [host],
    otherOrigins: origins.filter((each) => each !== parsed.origin),
    authorization,
    contentType: headers.get('content-type'),
    body,
  };
}

/**
 * The credential that a login step requires, by its path; undefined for other paths.
 * @param ownPath puts the words of the service into a path.
 */
export function neededBy(sent: SentRequest, ownPath: (path: string) => string = String): CredentialKind | undefined {
  const path = ownPath(splitTarget(targetOf(sent)).path);
  if (path === '/oauth/request_token') return 'consumer';
  return path === '/oauth/access_token' ? 'request-token' : undefined;
}
