/** A key and its secret. */
export type KeyPair = readonly [key: string, secret: string];

const bytes = new TextEncoder();

/** Percent-encodes a text as OAuth 1.0a requires: everything but letters, digits, `-`, `.`, `_` and `~`. */
export function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** An HMAC in base64. */
export async function hmac(
  hash: 'SHA-1' | 'SHA-256',
  key: string | Uint8Array<ArrayBuffer>,
  text: string,
): Promise<string> {
  const raw = typeof key === 'string' ? bytes.encode(key) : key;
  const imported = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash }, false, ['sign']);
  const digest = await crypto.subtle.sign('HMAC', imported, bytes.encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(digest)));
}

/**
 * The Authorization header of a request signed with OAuth 1.0a (HMAC-SHA1).
 * @param token absent in the first step of a login
 * @param url with the query: its parameters are signed; a body in JSON or in parts is not
 * @param protocol further `oauth_` parameters
 */
export async function sign(
  consumer: KeyPair,
  token: KeyPair | undefined,
  method: string,
  url: URL,
  protocol: Readonly<Record<string, string>> = {},
): Promise<string> {
  const oauth: Record<string, string> = {
    oauth_consumer_key: consumer[0],
    oauth_nonce: crypto.randomUUID().replaceAll('-', ''),
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: String(Math.floor(Date.now() / 1000)),
    ...(token ? { oauth_token: token[0] } : {}),
    oauth_version: '1.0',
    ...protocol,
  };
  const pairs = [...url.searchParams, ...Object.entries(oauth)].map(
    ([name, value]) => [encode(name), encode(value)] as const,
  );
  const parameters = pairs
    .sort(([one, its], [other, others]) => (one < other || (one === other && its < others) ? -1 : 1))
    .map((pair) => pair.join('='))
    .join('&');
  const base = [method, url.origin + url.pathname, parameters].map(encode).join('&');
  const key = `${encode(consumer[1])}&${encode(token?.[1] ?? '')}`;
  const header = Object.entries({ ...oauth, oauth_signature: await hmac('SHA-1', key, base) });
  return `OAuth ${header.map(([name, value]) => `${name}="${encode(value)}"`).join(', ')}`;
}
