import { BarkerError } from './errors.ts';
import { type KeyPair, sign } from './sign.ts';
import { type ClientOptions, UsageError } from './transport.ts';

/** A login that a user has to confirm. */
export interface BegunLogin {
  /** Send the user's browser there. */
  readonly url: string;
  /** Keep it until the user comes back, for instance in the session. */
  readonly requestToken: KeyPair;
}

/** The user who has logged in, with the keys to call for them. */
export interface LoggedIn {
  readonly token: KeyPair;
  readonly user_id: string;
  readonly screen_name: string;
}

/** Lets users authorize the application. */
export class Login {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /**
   * The first step.
   * @param callback a registered URL, to which the user comes back with `oauth_verifier`; `oob` if the user is to read a PIN
   */
  async begin(callback: string): Promise<BegunLogin> {
    const reply = await this.#step('oauth.request_token', undefined, { oauth_callback: callback });
    const requestToken = tokenIn(reply);
    return {
      url: `${this.#options.url}/oauth/authorize?oauth_token=${encodeURIComponent(requestToken[0])}`,
      requestToken,
    };
  }

  /** The last step. @param verifier the `oauth_verifier` of the callback, or the PIN */
  async finish(requestToken: KeyPair, verifier: string): Promise<LoggedIn> {
    const reply = await this.#step('oauth.access_token', requestToken, { oauth_verifier: verifier });
    return { token: tokenIn(reply), user_id: reply.get('user_id') ?? '', screen_name: reply.get('screen_name') ?? '' };
  }

  async #step(
    operation: 'oauth.request_token' | 'oauth.access_token',
    token: KeyPair | undefined,
    protocol: Readonly<Record<string, string>>,
  ): Promise<URLSearchParams> {
    const { url: base, consumer, fetch: send = fetch } = this.#options;
    if (!consumer) throw new UsageError(`${operation} needs the option \`consumer\``);
    const url = new URL(`${base}/${operation.replace('.', '/')}`);
    const authorization = await sign(consumer, token, 'POST', url, protocol);
    const response = await send(url, { method: 'POST', headers: { authorization } });
    const text = await response.text();
    if (!response.ok) throw new BarkerError(operation, response, text.startsWith('{') ? JSON.parse(text) : text);
    return new URLSearchParams(text);
  }
}

function tokenIn(reply: URLSearchParams): KeyPair {
  return [reply.get('oauth_token') ?? '', reply.get('oauth_token_secret') ?? ''];
}
