import { encode } from '../../base/percent.ts';
import type { CredentialKind } from '../../contract/declare/operation.ts';
import { TEMPLATES } from './templates.ts';

type Values = Readonly<Record<string, string>>;

/** A call with its keys. */
export interface SnippetCall {
  readonly method: string;
  readonly credential?: CredentialKind;
  /** Without a query. */
  readonly url: string;
  readonly query?: Values;
  readonly form?: Values;
  /** A body in JSON. */
  readonly json?: unknown;
  /** Further protocol parameters. */
  readonly protocol?: Values;
  readonly consumerKey: string;
  readonly consumerSecret: string;
  /** Undefined when the application alone signs. */
  readonly token?: string | undefined;
  readonly tokenSecret?: string | undefined;
  /** The file with the certificate authority of the server. */
  readonly tlsCa?: string | undefined;
}

/** The call in several languages, each to be pasted into a shell. */
export function callSnippets(call: SnippetCall): readonly (readonly [language: string, code: string])[] {
  const { query, form, json, protocol = {}, token, tlsCa, credential = 'user' } = call;
  if (credential !== 'user' && credential !== 'consumer') return [['curl', unsigned(call)]];
  const given = { query, form, json, token, values: query ?? form, protocol: Object.keys(protocol)[0] };
  const flags = { ...given, plain: (given.values ?? given.protocol) ? undefined : 'plain' };
  return TEMPLATES.map(({ language, trusted, code }) => {
    const values: Values = { ...textsOf(call), ...literalsOf(call, language) };
    const lines = code.split('\n').flatMap((line) => {
      const [, marks = '', text = ''] = /^((?:\[!?\w+\])*)(.*)$/.exec(line)!;
      const isIn = [...marks.matchAll(/(!?)(\w+)/g)].every(
        ([, not, name]) => (flags[name as keyof typeof flags] === undefined) === (not === '!'),
      );
      return isIn ? [text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '')] : [];
    });
    return [language, (tlsCa === undefined ? '' : `export ${trusted}='${tlsCa}'\n`) + lines.join('\n')];
  });
}

/** A call with a password or a bearer token, for curl. */
function unsigned(call: SnippetCall): string {
  const { method, url, consumerKey, consumerSecret, credential } = call;
  const { search, data } = textsOf(call);
  const who = credential === 'basic' ? `-u '${consumerKey}:${consumerSecret}'` : '-H "Authorization: Bearer $TOKEN"';
  return `curl -X ${method} '${url}${search}' ${who}${data}\n`;
}

/** What is written alike in all languages, and in a shell. */
function textsOf({ method, url, query, form, json, protocol, token, ...keys }: SnippetCall): Values {
  const { consumerKey, consumerSecret, tokenSecret = '' } = keys;
  const oauth = {
    ...protocol,
    oauth_consumer_key: consumerKey,
    oauth_signature_method: 'HMAC-SHA1',
    oauth_version: '1.0',
    ...(token !== undefined && { oauth_token: token }),
  };
  // The shell fills these in.
  const live = [
    ['oauth_nonce', '$(openssl rand -hex 16)'],
    ['oauth_timestamp', '$(date +%s)'],
  ] as const;
  const all = [...encoded(oauth), ...live].sort(byName);
  const half = all.findIndex(([name]) => name > 'oauth_signature_method');
  const sent = encoded({ ...query, ...form });
  const before = sent.filter(([name]) => name < 'oauth_');
  return {
    ...{ method, url, consumerKey, consumerSecret, tokenSecret, token: token ?? '' },
    ...{ oauth: joined(all.slice(0, half)), moreOauth: joined(all.slice(half)) },
    before: before.map((pair) => `${pair.join('=')}&`).join(''),
    after: sent
      .slice(before.length)
      .map((pair) => `&${pair.join('=')}`)
      .join(''),
    search: query ? `?${joined(sent)}` : '',
    data: form ? ` -d '${joined(sent)}'` : json === undefined ? '' : `${IN_JSON}${quoteless(JSON.stringify(json))}'`,
  };
}

const IN_JSON = " -H 'Content-Type: application/json' -d '";

type Pair = readonly [name: string, value: string];

const byName = ([one]: Pair, [other]: Pair): number => (one < other ? -1 : 1);
const encoded = (values: Values): Pair[] =>
  Object.entries(values)
    .map(([name, value]): Pair => [encode(name), encode(value)])
    .sort(byName);
const joined = (pairs: readonly Pair[]): string => pairs.map((pair) => pair.join('=')).join('&');
/** JSON without single quotes, which would end a text in many languages. */
const quoteless = (json: string): string => json.replaceAll("'", '\\u0027');

/** How languages write maps, and a line break in a text between single quotes. */
const LITERALS: Readonly<Record<string, Values>> = {
  'Node.js': { start: '{', indent: '  ', arrow: ': ', end: '}', newline: '\\n' },
  Python: { start: '{', indent: '    ', arrow: ': ', end: '}', newline: '\\n' },
  PHP: { start: '[', indent: '    ', arrow: ' => ', end: ']', newline: `' . "\\n" . '` },
  Ruby: { start: '{', indent: '  ', arrow: ' => ', end: '}', newline: `' + "\\n" + '` },
};

function literalsOf({ query, form, json, protocol = {} }: SnippetCall, language: string): Values {
  const { start = '', indent = '', arrow = '', end = '', newline = '' } = LITERALS[language] ?? {};
  const text = (value: string): string => `'${value.replace(/[\\']/g, '\\$&').replaceAll('\n', newline)}'`;
  const members = (values: Values): string[] =>
    Object.entries(values).map(([name, value]) => `${indent}${text(name)}${arrow}${text(value)},`);
  return {
    values: [start, ...members(query ?? form ?? {}), end].join('\n'),
    protocol: members(protocol).join('\n'),
    json: quoteless(JSON.stringify(json, null, 2) ?? ''),
  };
}
