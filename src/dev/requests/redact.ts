/** Stands where a secret was. */
const REDACTED = '[redacted]';

/** Names of parameters, members and form boxes whose values are not shown. */
const SECRET_NAME =
  /secret|passw|signature$|verifier|totp|one_time|recovery|^access_token$|^token$|^csrf|authenticity|form_key|^operator_token$/i;

/** Headers whose values are not shown at all. */
const SECRET_HEADERS = new Set(['cookie', 'set-cookie', 'proxy-authorization', 'x-form-token']);

/** Identifiers of people that a body may show; the others are redacted. */
const HASHES_SHOWN = 3;

/** The names of the service for a name in the words of another interface. */
export type OwnNames = (name: string) => readonly string[];

/** Takes secrets out of texts, also in unexpected places. */
export class Redactor {
  readonly #secrets: readonly string[];
  readonly #ownNames: OwnNames;

  /**
   * @param secrets known values, such as those of all applications and tokens.
   * @param ownNames the names of the service for foreign ones.
   */
  constructor(secrets: readonly string[], ownNames: OwnNames = () => []) {
    this.#secrets = secrets.filter((secret) => secret.length >= 8);
    this.#ownNames = ownNames;
  }

  /** Names and values of headers. */
  headers(headers: readonly string[]): { readonly name: string; readonly value: string }[] {
    const redacted = [];
    for (let at = 0; at + 1 < headers.length; at += 2) {
      const name = headers[at]!;
      redacted.push({ name, value: this.text(headerValue(name.toLowerCase(), headers[at + 1]!)) });
    }
    return redacted;
  }

  /** Path and query, or a URL. */
  target(target: string): string {
    const mark = target.indexOf('?');
    return this.text(mark < 0 ? target : target.slice(0, mark + 1) + pairs(target.slice(mark + 1), this.#ownNames));
  }

  /** A body; undefined for binary ones and HTML. */
  body(bytes: Uint8Array, type: string): string | undefined {
    // Pages show keys to their owners.
    if (/^text\/html/i.test(type)) return undefined;
    let text: string;
    try {
      // A body that was cut may end within a character.
      text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    } catch {
      return undefined;
    }
    // biome-ignore lint/suspicious/noControlCharactersInRegex: texts have none of these
    if (/^multipart\//i.test(type) || /[\x00-\x08]/.test(text)) return undefined;
    // Replies of tokens are forms too, though their type says otherwise.
    const isForm = /form-urlencoded/i.test(type) || /^oauth_\w+=/.test(text);
    return this.text(withoutHashes(isForm ? pairs(text, this.#ownNames) : members(text, this.#ownNames)));
  }

  /** Any other text. */
  text(text: string): string {
    let redacted = text;
    for (const secret of this.#secrets) redacted = redacted.replaceAll(secret, REDACTED);
    return redacted;
  }
}

function headerValue(name: string, value: string): string {
  if (SECRET_HEADERS.has(name)) return REDACTED;
  if (name !== 'authorization') return value;
  const [, scheme] = /^\s*(\w+)\s/.exec(value) ?? [];
  // Whatever stands there without a scheme may be the secret itself.
  if (scheme === undefined) return REDACTED;
  if (!/^oauth$/i.test(scheme)) return `${scheme} ${REDACTED}`;
  return value.replace(/(oauth_(?:signature|verifier)\s*=\s*)("[^"]*"|[^,\s]*)/gi, `$1"${REDACTED}"`);
}

function pairs(text: string, ownNames: OwnNames): string {
  return text.replace(/([^&=]*)=([^&]*)/g, (pair, name: string) =>
    isSecretName(decoded(name.replaceAll('+', ' ')), ownNames) ? `${name}=${REDACTED}` : pair,
  );
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Whether the value of a parameter or member is a secret by its name. */
export function isSecretName(name: string, ownNames: OwnNames = () => []): boolean {
  return SECRET_NAME.test(name) || ownNames(name).some((own) => SECRET_NAME.test(own));
}

/** Members of JSON whose values are texts. */
function members(text: string, ownNames: OwnNames): string {
  return text.replace(/"((?:[^"\\]|\\.)*)"(\s*:\s*)"(?:[^"\\]|\\.)*("|$)/g, (member, name: string, colon: string) =>
    isSecretName(name, ownNames) ? `"${name}"${colon}"${REDACTED}"` : member,
  );
}

function withoutHashes(text: string): string {
  let seen = 0;
  return text.replace(/\b[0-9a-f]{64}\b/gi, (hash) => {
    seen += 1;
    return seen > HASHES_SHOWN ? REDACTED : hash;
  });
}
