import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3Options } from '../../src/storage/objects/s3-objects.ts';
import { type CuttableProxy, openCuttableProxy } from './cuttable-proxy.ts';
import { signatureError } from './s3-signatures.ts';
import { recordSecret } from './secrets.ts';

/** A service with the S3 interface of one's own, with a bucket, behind a proxy that can be cut. */
export interface OwnS3 {
  readonly proxy: CuttableProxy;
  /** The settings of a server that keeps its objects there. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly options: S3Options;
  /** The keys of uploads in parts that were begun and neither completed nor aborted. */
  uploadsInParts(): string[];
  /** Some services cannot list them. */
  listsUploads: boolean;
  close(): Promise<void>;
}

/** A request and its reply, as Koa has them. */
interface Exchange {
  readonly req: IncomingMessage;
  status: number;
  type: string;
  body: unknown;
}
interface StandIn {
  /** Whatever sees each request, in this order. */
  readonly middleware: ((exchange: Exchange, next: () => Promise<void>) => Promise<void>)[];
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
}
type StandInClass = new (options: Readonly<Record<string, unknown>>) => StandIn;
const StandIn = createRequire(import.meta.url)('@20minutes/s3rver') as StandInClass;

const KEY_ID = 'S3RVER';
const SECRET = 'S3RVER-secret-of-the-tests';
const BUCKET = 'barker-tests';

function refuse(exchange: Exchange, status: number, name: string, message: string): void {
  exchange.status = status;
  exchange.type = 'application/xml';
  exchange.body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${name}</Code><Message>${message}</Message></Error>`;
}

/** Follows uploads in parts, lists them and aborts them: the stand-in cannot. */
function uploadsInParts() {
  const open = new Map<string, { readonly key: string; readonly since: string }>();
  const state = { isListed: true };
  const follow = async (exchange: Exchange, next: () => Promise<void>): Promise<void> => {
    const { pathname, searchParams } = new URL(exchange.req.url!, 'http://any');
    const key = pathname.slice(`/${BUCKET}/`.length);
    if (exchange.req.method === 'GET' && searchParams.has('uploads') && state.isListed) {
      const uploads = [...open].map(
        ([id, { key, since }]) =>
          `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${since}</Initiated></Upload>`,
      );
      exchange.status = 200;
      exchange.type = 'application/xml';
      exchange.body = `<ListMultipartUploadsResult>${uploads.join('')}</ListMultipartUploadsResult>`;
      return;
    }
    const id = searchParams.get('uploadId') ?? '';
    if (exchange.req.method === 'DELETE' && id !== '') {
      if (open.delete(id)) exchange.status = 204;
      else refuse(exchange, 404, 'NoSuchUpload', 'The specified upload does not exist.');
      return;
    }
    await next();
    const begun = searchParams.has('uploads') && /<UploadId>([^<]+)/.exec(String(exchange.body))?.[1];
    if (begun) open.set(begun, { key, since: new Date().toISOString() });
    if (exchange.req.method === 'POST' && exchange.status < 300) open.delete(id);
  };
  return { follow, state, keys: () => [...open.values()].map(({ key }) => key) };
}

/** Starts a stand-in for S3 in this process. */
export async function startS3(): Promise<OwnS3> {
  recordSecret('secret of the object store', SECRET);
  const directory = mkdtempSync(join(tmpdir(), 'barker-s3-'));
  const parts = uploadsInParts();
  const server = new StandIn({
    ...{ address: '127.0.0.1', port: 0, silent: true, directory },
    configureBuckets: [{ name: BUCKET }],
    // It knows a key of its own only, and computes another signature than the client for lists: ours are checked before.
    allowMismatchedSignatures: true,
  });
  server.middleware.unshift(async (exchange, next) => {
    const error = await signatureError(exchange.req, { keyId: KEY_ID, secret: SECRET });
    if (!error) return parts.follow(exchange, next);
    const [name, message] = error;
    refuse(exchange, 403, name, message);
  });
  const { port } = await server.run();
  const proxy = await openCuttableProxy(`http://127.0.0.1:${port}/`);
  const endpoint = proxy.url.replace(/\/$/, '');
  return {
    ...{ proxy, uploadsInParts: parts.keys },
    get listsUploads() {
      return parts.state.isListed;
    },
    set listsUploads(isListed) {
      parts.state.isListed = isListed;
    },
    flags: {
      object_store: `s3://${BUCKET}/tests`,
      object_store_endpoint: endpoint,
      object_store_key_id: KEY_ID,
      object_store_secret: SECRET,
      object_store_timeout_s: 3,
    },
    options: {
      ...{ endpoint, region: 'us-east-1', bucket: BUCKET, prefix: 'tests/', keyId: KEY_ID, secret: SECRET },
      ...{ isPathStyle: true, silence_ms: 3000 },
    },
    async close() {
      await proxy.close();
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
