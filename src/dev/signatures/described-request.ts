import { InputError } from '../../base/input-error.ts';
import type { CredentialKind } from '../../contract/declare/operation.ts';
import { splitTarget } from '../../features/auth/oauth1/full-parser.ts';
import { type SentRequest, targetOf } from './sent-request.ts';

/** A request that a curl command sends. */
export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  /** By name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string | undefined;
}

/** Options of curl that do not affect the signature, without a value. */
const SWITCHES =
  /^(?:-[sSikLvgfN#]+|--(?:silent|show-error|include|insecure|location|verbose|globoff|fail|fail-with-body|compressed|no-buffer|http1\.1|http2|path-as-is|no-progress-meter))$/;
/** The same with a value. */
const VALUES =
  /^(?:-[oAebcmwxDK]|--(?:output|user-agent|referer|cookie|cookie-jar|max-time|connect-timeout|cacert|cert|key|write-out|proxy|resolve|retry|dump-header))$/;

/** Reads a curl command, as a shell would. @throws InputError which names what cannot be read. */
export function parseCurl(command: string): CurlRequest {
  const [program, ...words] = shellWords(command.trim());
  if (program !== 'curl') throw new InputError('the command does not begin with curl');
  let method: string | undefined;
  let url: string | undefined;
  let isQuery = false;
  const headers = new Map<string, string>();
  const data: string[] = [];
  const type = (value: string): void => {
    if (!headers.has('content-type')) headers.set('content-type', value);
  };
  for (let at = 0; at < words.length; at++) {
    const [option, attached] = split(words[at]!);
    const value = (): string => {
      const text = attached ?? words[++at];
      if (text === undefined) throw new InputError(`${option} has no value`);
      return text;
    };
    if (!option.startsWith('-') || option === '-') {
      if (url !== undefined) throw new InputError(`there are two URLs: ${url} and ${option}`);
      url = option;
    } else if (option === '-X' || option === '--request') method = value();
    else if (option === '--url') url = value();
    else if (option === '-G' || option === '--get') isQuery = true;
    else if (option === '-I' || option === '--head') method ??= 'HEAD';
    else if (option === '-u' || option === '--user')
      headers.set('authorization', `Basic ${Buffer.from(value()).toString('base64')}`);
    else if (option === '--oauth2-bearer') headers.set('authorization', `Bearer ${value()}`);
    else if (option === '-H' || option === '--header') {
      const [, name = '', content = ''] = /^([^:]+):\s*(.*)$/s.exec(value()) ?? [];
      if (name !== '') headers.set(name.toLowerCase(), content);
    } else if (/^(?:-d|--data|--data-ascii|--data-raw|--data-binary)$/.test(option)) {
      const text = value();
      if (text.startsWith('@') && option !== '--data-raw')
        throw new InputError(`put the content of ${text.slice(1)} in place of ${text}`);
      data.push(text);
    } else if (option === '--data-urlencode') data.push(urlEncoded(value()));
    else if (option === '--json') {
      data.push(value());
      headers.set('content-type', 'application/json');
    } else if (/^(?:-F|--form|--form-string)$/.test(option)) {
      value();
      headers.set('content-type', 'multipart/form-data');
      method ??= 'POST';
    } else if (VALUES.test(option)) value();
    else if (attached !== undefined || !SWITCHES.test(option))
      throw new InputError(`${option} is not understood; leave it out`);
  }
  if (url === undefined) throw new InputError('there is no URL');
  const text = data.length === 0 ? undefined : data.join('&');
  if (isQuery) {
    const query = text === undefined ? '' : `${url.includes('?') ? '&' : '?'}${text}`;
    return { method: method ?? 'GET', url: url + query, headers, body: undefined };
  }
  if (text !== undefined) type('application/x-www-form-urlencoded');
  return { method: method ?? (text === undefined ? 'GET' : 'POST'), url, headers, body: text };
}

/** Separates an option from a value in the same word. */
function split(word: string): [option: string, attached: string | undefined] {
  const long = /^(--[^=]+)=(.*)$/s.exec(word);
  if (long) return [long[1]!, long[2]!];
  // Switches may stand before an option in one word, and its value after it: -sXPOST.
  const short = /^-[sSikLvgfN#]*([XHdFouAebcmwxDK])(.*)$/s.exec(word);
  if (!short) return [word, undefined];
  return [`-${short[1]}`, short[2] === '' ? undefined : short[2]];
}

/** As curl encodes it: all after the first `=`, or all. */
function urlEncoded(text: string): string {
  const at = text.indexOf('=');
  if (at < 0) return encodeURIComponent(text);
  return `${text.slice(0, at)}${at === 0 ? '' : '='}${encodeURIComponent(text.slice(at + 1))}`;
}

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** The words of a command line by the rules of POSIX shells, and `$'…'` as browsers copy it. */
function shellWords(command: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  const piece =
    /\s+|\\\r?\n|\\([\s\S])|'([^']*)'|"((?:\\[\s\S]|[^"\\])*)"|\$'((?:\\[\s\S]|[^'\\])*)'|([^\s\\'"$]+|\$)/y;
  while (piece.lastIndex < command.length) {
    const at = piece.lastIndex;
    const found = piece.exec(command);
    if (!found) throw new InputError(`a quote is not closed: ${command.slice(at, at + 20)}`);
    const [all, escaped, single, double, ansi, bare] = found;
    if (/^\s/.test(all)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (!/^\\\r?\n$/.test(all)) {
      word ??= '';
      word +=
        escaped ??
        single ??
        double?.replace(/\\([\\"$`])|\\\n/g, '$1') ??
        (ansi === undefined ? bare : unescaped(ansi));
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}

function unescaped(text: string): string {
  return text.replace(/\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|([\s\S]))/g, (_, unicode, hex, letter) =>
    letter === undefined ? String.fromCharCode(Number.parseInt(unicode ?? hex, 16)) : (ESCAPED[letter] ?? letter),
  );
}

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
    method,
    target: target.startsWith('/') ? target : `/${target}`,
    origins: [parsed.origin],
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
