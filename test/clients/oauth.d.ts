declare module 'oauth' {
  type Answered = (error: unknown, text: string, response: { statusCode: number }) => void;

  /** The part of the npm package `oauth` that the suite uses; it comes without types. */
  export class OAuth {
    constructor(
      requestUrl: string | null,
      accessUrl: string | null,
      consumerKey: string,
      consumerSecret: string,
      version: string,
      callback: string | null,
      signatureMethod: string,
    );
    get(url: string, token: string, secret: string, done: Answered): void;
    delete(url: string, token: string, secret: string, done: Answered): void;
    post(url: string, token: string, secret: string, body: unknown, type: string | undefined, done: Answered): void;
    put(url: string, token: string, secret: string, body: unknown, type: string | undefined, done: Answered): void;
  }
}

declare module 'oauth-sign' {
  /** The signature of a request by HMAC-SHA1. */
  export function hmacsign(
    method: string,
    baseUri: string,
    parameters: Readonly<Record<string, string>>,
    consumerSecret: string,
    tokenSecret: string,
  ): string;
}
