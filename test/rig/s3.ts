import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3Options } from '../../src/storage/objects/s3-objects.ts';
import { type CuttableProxy, openCuttableProxy } from './cuttable-proxy.ts';
import { recordSecret } from './secrets.ts';

/** A service with the S3 interface of one's own, with a bucket, behind a proxy that can be cut. */
export interface OwnS3 {
  readonly proxy: CuttableProxy;
  /** The settings of a server that keeps its objects there. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly options: S3Options;
  close(): Promise<void>;
}

interface StandIn {
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
}
type StandInClass = new (options: Readonly<Record<string, unknown>>) => StandIn;
const StandIn = createRequire(import.meta.url)('@20minutes/s3rver') as StandInClass;

const SECRET = 'S3RVER-secret-of-the-tests';
const BUCKET = 'barker-tests';

/** Starts a stand-in for S3 in this process. */
export async function startS3(): Promise<OwnS3> {
  recordSecret('secret of the object store', SECRET);
  const directory = mkdtempSync(join(tmpdir(), 'barker-s3-'));
  const server = new StandIn({
    ...{ address: '127.0.0.1', port: 0, silent: true, directory },
    configureBuckets: [{ name: BUCKET }],
    // It knows a key of its own only, and computes another signature than the client for lists.
    allowMismatchedSignatures: true,
  });
  const { port } = await server.run();
  const proxy = await openCuttableProxy(`http://127.0.0.1:${port}/`);
  const endpoint = proxy.url.replace(/\/$/, '');
  return {
    proxy,
    flags: {
      object_store: `s3://${BUCKET}/tests`,
      object_store_endpoint: endpoint,
      object_store_key_id: 'S3RVER',
      object_store_secret: SECRET,
      object_store_timeout_s: 3,
    },
    options: {
      ...{ endpoint, region: 'us-east-1', bucket: BUCKET, prefix: 'tests/', keyId: 'S3RVER', secret: SECRET },
      ...{ isPathStyle: true, silence_ms: 3000 },
    },
    async close() {
      await proxy.close();
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
