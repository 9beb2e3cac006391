import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { DevError } from './call.ts';

/** Who may call the surface. */
export interface GuardRules {
  /** Host names of certificates, under which the service may be called beside those of the loopback interface. */
  readonly hosts: readonly string[];
  /** Callers must present it unless the service listens on the loopback interface alone. */
  readonly token: string;
  readonly isLoopback: boolean;
}

/**
 * Keeps pages of other origins away: they could reach a service on this machine through the browser of its developer,
 * also under a name of their own that resolves to the loopback interface. A form, which any page can send, must come from a
 * page of this server.
 * @throws DevError
 * @source decision 861
 */
export function guard(request: IncomingMessage, rules: GuardRules, takesForm = false): void {
  const { host = '', origin, authorization = '' } = request.headers;
  const name = host
    .toLowerCase()
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1');
  if (!isLoopbackName(name) && !rules.hosts.includes(name)) {
    throw new DevError(403, 'FOREIGN_HOST', `${name || 'no host'} is not a name of this service; call it as localhost`);
  }
  if (origin !== undefined && !/^https?:$/.test(schemeOf(origin, host))) {
    throw new DevError(403, 'FOREIGN_ORIGIN', `pages of ${origin} may not call this service`);
  }
  if (!rules.isLoopback && !isToken(authorization, rules.token)) {
    throw new DevError(
      401,
      'TOKEN_NEEDED',
      'the service can be reached from other machines: send operator_token of dev.json as a bearer token',
    );
  }
  const hasBody = request.method === 'POST' || request.method === 'PUT';
  if (hasBody && takesForm) {
    checkForm(request);
    return;
  }
  if (hasBody && !/^application\/(?:json|x-tar)\s*(?:;|$)/i.test(request.headers['content-type'] ?? '')) {
    throw new DevError(415, 'NOT_JSON', 'send Content-Type: application/json');
  }
}

/** An origin, if there is one, has been checked. */
function checkForm({ headers }: IncomingMessage): void {
  const { origin, 'sec-fetch-site': site = 'same-origin', 'content-type': type = '' } = headers;
  if (origin === undefined || site !== 'same-origin') {
    throw new DevError(403, 'FOREIGN_ORIGIN', 'only pages of this service may send forms');
  }
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) {
    throw new DevError(415, 'NOT_FORM', 'send Content-Type: application/x-www-form-urlencoded');
  }
}

function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(?:\.\d{1,3}){3}$/.test(name);
}

/** The scheme of an origin with this host, such as `http:`; empty for other origins. */
function schemeOf(origin: string, host: string): string {
  const url = URL.parse(origin);
  return url?.host === host.toLowerCase() ? url.protocol : '';
}

function isToken(authorization: string, token: string): boolean {
  const presented = Buffer.from(/^bearer +(\S+)$/i.exec(authorization)?.[1] ?? '');
  const expected = Buffer.from(token);
  return presented.length === expected.length && timingSafeEqual(presented, expected);
}
