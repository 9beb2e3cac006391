import { isIP } from 'node:net';
import type { UrlError } from '../../contract/services/sending.ts';

/** How the URL of a receiver may be written. */
export interface UrlRules {
  /** Allows plain http, ports, and addresses in place of names: for receivers on one's own machine. */
  readonly allowsPrivate: boolean;
  /** Origins of this service, to which nothing is sent. */
  ownOrigins(): readonly string[];
}

const LENGTH_MAX = 200;

/**
 * The error in the URL of a receiver as it is written; undefined when it is valid. Anything that URL parsers would
 * repair is refused, so that all parsers read it the same way.
 * @source activity 19.1 and 21.4
 */
export function urlError(url: string, rules: UrlRules): UrlError | undefined {
  const message = complaint(url, rules);
  return message === undefined ? undefined : { message };
}

/** A name without its trailing dot, if any. */
const nameOf = (host: string): string => host.replace(/\.$/, '');

function complaint(url: string, { allowsPrivate, ownOrigins }: UrlRules): string | undefined {
  if (url.length < 1 || url.length > LENGTH_MAX) return `the url must have 1 to ${LENGTH_MAX} characters`;
  const [, scheme, authority] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i.exec(url) ?? [];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (scheme === undefined || /[\s\u0000-\u001f\u007f\\]/.test(url) || !URL.canParse(url)) {
    return 'the url cannot be read';
  }
  const { protocol, hostname, origin } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (protocol !== 'https:' && !(allowsPrivate && protocol === 'http:')) return 'the url must begin with https://';
  if (authority!.includes('@')) return 'the url must have no user';
  if (url.includes('#')) return 'the url must have no fragment';
  if (!allowsPrivate && /:\d*$/.test(authority!)) return 'the url must have no port';
  if (!allowsPrivate && isIP(host) !== 0) return 'the host of the url must be a name';
  // In development, receivers may run under the same name on other ports.
  const isOwn = (own: string): boolean =>
    allowsPrivate ? own === origin : URL.canParse(own) && nameOf(new URL(own).hostname) === nameOf(host);
  if (ownOrigins().some(isOwn)) return 'the url must not lead to this service';
  return undefined;
}
