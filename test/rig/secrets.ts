import { appendFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';

/**
 * What must not stand in any log, collected while tests run: whatever services hand out, and whatever they are sent.
 * `leaks.ts` looks for it when all tests have run.
 */
const folder = process.env.TEST_LOGS;
const waiting = new Map<string, string>();
const planted = new Set<string>();

/** Beyond this many the secrets of this process are written down. */
const WAITING_MAX = 5000;

/** Shorter ones are words of every day, which tests send in place of secrets. */
const SHORT = 8;

/** Records a secret, so that logs are searched for it. Words too short to be one are left alone; a PIN is known by its form. */
export function recordSecret(kind: string, value: string | null | undefined): void {
  if (!folder || !value || planted.has(value)) return;
  if (value.length < SHORT && !/^\d{7}$/.test(value)) return;
  planted.add(value);
  waiting.set(value, kind);
  if (waiting.size >= WAITING_MAX) writeDown();
}

/** Records every secret among named values, as files and commands give them. */
export function recordSecrets(values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (/secret|token|password|bearer/.test(name) && typeof value === 'string') recordSecret(name, value);
  }
}

if (folder) process.on('exit', writeDown);

function writeDown(): void {
  const lines = [...waiting].map(([value, kind]) => `${JSON.stringify([kind, value])}\n`);
  waiting.clear();
  appendFileSync(join(folder!, `${process.pid}.secrets`), lines.join(''));
}

/** Where secrets stand in text: pairs of protocol parameters, JSON, forms and pages. */
const PLACES: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['token', /\boauth_token=([^&"'<>\s,]{20,})/g],
  ['token', /\bdenied=([^&"'<>\s,]{20,})/g],
  ['token secret', /\boauth_token_secret=([^&"'<>\s,]+)/g],
  ['verifier', /\boauth_verifier=([^&"'<>\s,]+)/g],
  ['token', /"access_token":"([^"]{20,})"/g],
  ['form token', /name="authenticity_token" value="([^"]{20,})"/g],
  ['PIN', /<code>(\d{7})<\/code>/g],
  ['key shown on a page', /<(?:code|kbd|td|dd|output)[^>]*>([A-Za-z0-9%-]{40,})</g],
  ['session', /\b(?:__Host-)?sess=([\w-]{20,})/g],
];

function plantIn(text: string): void {
  for (const [kind, pattern] of PLACES) for (const [, value] of text.matchAll(pattern)) recordSecret(kind, value);
}

/** Paths whose replies may hold secrets. */
const TELLING = /^\/(oauth|oauth2|1\.1\/oauth|login|logout|settings|developer)(\/|\?|\.|$)/;

/** Records the secrets in a reply. */
export function recordSecretsOfReply(target: string, headers: Headers, text: string): void {
  if (!folder || !TELLING.test(target)) return;
  for (const cookie of headers.getSetCookie()) plantIn(cookie);
  plantIn(headers.get('location') ?? '');
  plantIn(text);
}

/** Records the secrets in a request. */
export function recordSecretsOfRequest({ headers, url = '' }: Pick<IncomingMessage, 'headers' | 'url'>): void {
  if (!folder) return;
  const { authorization = '', cookie } = headers;
  if (cookie) plantIn(cookie);
  if (url.includes('oauth_')) plantIn(url);
  for (const source of [authorization, url.includes('oauth_signature=') ? url : '']) {
    const [, signature] = /oauth_signature="?([^"&\s,]+)/.exec(source) ?? [];
    recordSecret('signature', signature && decoded(signature));
  }
  const [, token] = /oauth_token="([^"]{20,})"/.exec(authorization) ?? [];
  recordSecret('token', token);
  const [, bearer] = /^bearer +(\S{20,})/i.exec(authorization) ?? [];
  recordSecret('token', bearer);
  const [, pair] = /^basic +(\S+)/i.exec(authorization) ?? [];
  if (pair) recordSecret('consumer secret', /:([\s\S]*)/.exec(Buffer.from(pair, 'base64').toString())?.[1]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
