import { encode } from '../../base/percent.ts';
import type { CredentialKind } from '../../contract/declare/operation.ts';
import { TEMPLATES, UNSIGNED } from './templates.ts';

type Values = Readonly<Record<string, string>>;
type Pair = readonly [name: string, value: string];

/** A call to copy. */
export interface SnippetCall {
  readonly method: string;
  readonly credential?: CredentialKind;
  /** Without a query. */
  readonly url: string;
  /** A name may be there several times. */
  readonly query?: readonly Pair[];
  readonly form?: readonly Pair[];
  /** A body, as the text of its JSON: numbers keep all their digits. */
  readonly json?: string;
  /** Further protocol parameters. */
  readonly protocol?: Values;
}

/** Its keys, by their names in `dev.json`; without a token when the application alone signs. */
type Keys = Readonly<Record<string, string | undefined>>;

/** The call in several languages, each to be pasted into a shell. */
export function callSnippets(call: SnippetCall, keys: Keys): readonly (readonly [language: string, code: string])[] {
  const { query, form, json, protocol = {}, credential = 'user' } = call;
  const { access_token: token, tls_ca } = keys;
  const given = { query, form, json, token, values: query ?? form, protocol: Object.keys(protocol)[0] };
  const flags = { ...given, plain: (given.values ?? given.protocol) ? undefined : 'plain' };
  return (UNSIGNED[credential] ?? TEMPLATES).map(({ language, trusted, code }) => {
    const values = { ...keys, ...textsOf(call, keys), ...literalsOf(call, language) };
    const lines = code.split('\n').flatMap((line) => {
      const [, marks = '', text = ''] = /^((?:\[!?\w+\])*)(.*)$/.exec(line)!;
      const isIn = [...marks.matchAll(/(!?)(\w+)/g)].every(
        ([, not, name]) => (flags[name as keyof typeof flags] === undefined) === (not === '!'),
      );
      return isIn ? [text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '')] : [];
    });
    return [
      language,
      (tls_ca === undefined ? '' : `export ${trusted}='${tls_ca.replaceAll("'", "'\\''")}'\n`) + lines.join('\n'),
    ];
  });
}

/** What is written alike in all languages, and in a shell. */
function textsOf({ method, url, query, form, json, protocol }: SnippetCall, keys: Keys): Values {
  const { consumer_key = '', access_token } = keys;
  const oauth = {
    ...{ ...protocol, oauth_consumer_key: consumer_key, oauth_signature_method: 'HMAC-SHA1', oauth_version: '1.0' },
    ...(access_token !== undefined && { oauth_token: access_token }),
  };
  // The shell fills these in.
  const live = [
    ['oauth_nonce', '$(openssl rand -hex 16)'],
    ['oauth_timestamp', '$(date +%s)'],
  ] as const;
  const all = [...encoded(Object.entries(oauth)), ...live].sort(byName);
  const half = all.findIndex(([name]) => name > 'oauth_signature_method');
  const sent = encoded([...(query ?? []), ...(form ?? [])]);
  const before = sent.filter(([name]) => name < 'oauth_');
  return {
    ...{ method, url, oauth: joined(all.slice(0, half)), moreOauth: joined(all.slice(half)) },
    parameters: [joined(before), '$oauth', joined(sent.slice(before.length))].filter(Boolean).join('&'),
    search: query ? `?${joined(sent)}` : '',
    data: form ? ` -d '${joined(sent)}'` : json === undefined ? '' : `${IN_JSON}${quoteless(json)}'`,
  };
}

const IN_JSON = " -H 'Content-Type: application/json' -d '";

/** By name, then by value: the separator sorts before every character of a name. */
const byName = (one: Pair, other: Pair): number => (one.join('\0') < other.join('\0') ? -1 : 1);
const encoded = (pairs: readonly Pair[]): Pair[] =>
  pairs.map(([name, value]): Pair => [encode(name), encode(value)]).sort(byName);
const joined = (pairs: readonly Pair[]): string => pairs.map((pair) => pair.join('=')).join('&');
/** Escapes the characters of JSON that quoted texts of some language would interpret. */
const quoteless = (json: string): string => json.replace(/['`$]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);

/** How languages write the members of maps, and a line break in a text between single quotes. */
const LITERALS: Readonly<Record<string, Values>> = {
  'Node.js': { indent: '  ', arrow: ': ', newline: '\\n' },
  Python: { indent: '    ', arrow: ': ', newline: '\\n' },
  PHP: { indent: '    ', arrow: ' => ', newline: `' . "\\n" . '` },
  Ruby: { indent: '  ', arrow: ' => ', newline: `' + "\\n" + '` },
};

function literalsOf({ query, form, json, protocol = {} }: SnippetCall, language: string): Values {
  const { indent = '', arrow = '', newline = '' } = LITERALS[language] ?? {};
  const text = (value: string): string =>
    `'${value.replace(/[\\']/g, '\\$&').replaceAll('\n', newline).replaceAll('\r', newline.replace('n', 'r'))}'`;
  const lines = (pairs: readonly Pair[], [start, between, end]: readonly string[]): string =>
    pairs.map(([name, value]) => `${indent}${start}${text(name)}${between}${text(value)}${end},`).join('\n');
  return {
    values: `[\n${lines(query ?? form ?? [], ['[', ', ', ']'])}\n]`,
    protocol: lines(Object.entries(protocol), ['', arrow, '']),
    json: quoteless(json ?? ''),
  };
}
