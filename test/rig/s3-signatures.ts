import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { SignatureV4 } from '@smithy/signature-v4';

/** The digest of the signer. */
class Sha256 {
  readonly #digest: ReturnType<typeof createHash | typeof createHmac>;
  constructor(secret?: unknown) {
    this.#digest = secret === undefined ? createHash('sha256') : createHmac('sha256', secret as Buffer);
  }
  update(bytes: Uint8Array | string): void {
    this.#digest.update(bytes);
  }
  async digest(): Promise<Uint8Array> {
    return new Uint8Array(this.#digest.digest());
  }
  reset(): void {}
}

const FORM =
  /^AWS4-HMAC-SHA256 Credential=(?<key>[^/]+)\/\d{8}\/(?<region>[^/]+)\/s3\/aws4_request, SignedHeaders=(?<names>[^,]+), Signature=[0-9a-f]{64}$/;

/**
 * What a service with the S3 interface answers to a request because of its signature: the name and the message of an error;
 * undefined if it is that of the key. The client's own signer signs what has arrived once more.
 */
export async function signatureError(
  request: IncomingMessage,
  { keyId, secret }: { readonly keyId: string; readonly secret: string },
): Promise<readonly [name: string, message: string] | undefined> {
  const { authorization = '' } = request.headers;
  const { key, region, names } = FORM.exec(authorization)?.groups ?? {};
  if (names === undefined) return ['AccessDenied', 'Access Denied'];
  if (key !== keyId) {
    return ['InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.'];
  }
  const { pathname, searchParams } = new URL(request.url!, 'http://any');
  const headers = Object.fromEntries(names.split(';').map((name) => [name, String(request.headers[name])]));
  const date = String(request.headers['x-amz-date']).replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5');
  const signer = new SignatureV4({
    ...{ service: 's3', region: region!, sha256: Sha256, uriEscapePath: false, applyChecksum: false },
    credentials: { accessKeyId: keyId, secretAccessKey: secret },
  });
  const signed = await signer.sign(
    {
      ...{ method: request.method!, protocol: 'http:', hostname: 'any', path: pathname, headers },
      query: Object.fromEntries(searchParams),
    },
    { signingDate: new Date(date) },
  );
  if (signed.headers.authorization === authorization) return undefined;
  return [
    'SignatureDoesNotMatch',
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  ];
}
