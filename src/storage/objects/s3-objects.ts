import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import {
  type ByteRange,
  ContentMismatch,
  isObjectKey,
  type ListedObject,
  type ObjectContent,
  ObjectMissing,
  type ObjectStore,
  type ReadObject,
} from '../../contract/services/objects.ts';
import { type Attempt, attemptsOf, type ObjectStoreListener, SourceBroken } from './attempts.ts';

/** The location and credentials of a bucket. */
export interface S3Options {
  /** Base URL of the service; empty for the default of the region. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** Prefix of every key, with a trailing slash; may be empty. */
  readonly prefix: string;
  readonly keyId: string;
  readonly secret: string;
  /** Whether the bucket is named in the path of URLs, not in their host. */
  readonly isPathStyle: boolean;
  /** How long the service may be silent. */
  readonly silence_ms: number;
  /** The size of a part: objects of more than four are sent in parts, two at a time, each held in memory. At least 5 MiB. */
  readonly part_bytes?: number;
}

interface Pool {
  /** Idle connections, by their destination. */
  readonly freeSockets: Readonly<Record<string, readonly Readable[]>>;
}
/** The request handler of the client, whose pools exist after the first use. */
interface Handler {
  httpHandlerConfigs(): { readonly httpAgent?: Pool; readonly httpsAgent?: Pool };
}

const PART_BYTES = 16 * 1_048_576;
/** Larger objects are sent in parts. */
const SINGLE_PARTS_MAX = 4;
/** The options of each pool of connections. */
const POOL = { keepAlive: true, maxSockets: 64 };
/** Maximum number of concurrent removals. */
const REMOVED_AT_ONCE = 8;

/**
 * Objects in a bucket of an S3-compatible service. Uses only the oldest calls and no newer checksums, for
 * compatibility; objects are removed one by one for the same reason.
 * @source decision 781, 782
 */
export class S3Objects implements ObjectStore {
  readonly #client;
  readonly #attempts;
  readonly #bucket;
  readonly #prefix;
  readonly #part_bytes;

  constructor(options: S3Options, listener: ObjectStoreListener) {
    this.#client = clientOf(options);
    this.#attempts = attemptsOf(options.silence_ms, listener, () => dropConnections(this.#client));
    this.#bucket = options.bucket;
    this.#prefix = options.prefix;
    this.#part_bytes = options.part_bytes ?? PART_BYTES;
  }

  put(key: string, content: ObjectContent, signal?: AbortSignal): Promise<void> {
    return this.#attempts.run((attempt) => this.#send(key, content, attempt), signal);
  }

  async place(key: string, content: ObjectContent, signal?: AbortSignal): Promise<{ readonly synced: Promise<void> }> {
    await this.put(key, content, signal);
    return { synced: Promise.resolve() };
  }

  async get(key: string, range?: ByteRange, signal?: AbortSignal): Promise<ReadObject> {
    const isBeyond = range !== undefined && range.end <= range.start;
    if (!isBeyond) {
      const found = await this.#attempts.run(
        (attempt) => this.#opened(key, range, attempt).catch(throwMissing(key)).catch(undefinedIfBeyond),
        signal,
      );
      if (found) return { bytes: found.bytes, content: Readable.from(this.#pieces(found.body), { objectMode: false }) };
    }
    const bytes = await this.#sizeOf(key);
    if (bytes === undefined) throw new ObjectMissing(key);
    return { bytes, content: Readable.from([]) };
  }

  async head(key: string): Promise<Pick<ReadObject, 'bytes'> | undefined> {
    const bytes = await this.#sizeOf(key);
    return bytes === undefined ? undefined : { bytes };
  }

  async remove(keys: readonly string[]): Promise<void> {
    const rest = keys.map((key) => this.#named(key));
    const worker = async (): Promise<void> => {
      for (let each = rest.pop(); each; each = rest.pop()) {
        const command = new DeleteObjectCommand(each);
        await this.#attempts.run(({ signal }) =>
          this.#client.send(command, { abortSignal: signal }).catch(ignoreMissing),
        );
      }
    };
    await Promise.all(Array.from({ length: REMOVED_AT_ONCE }, worker));
  }

  async *list(under: string): AsyncGenerator<ListedObject> {
    let ContinuationToken: string | undefined;
    do {
      const command = new ListObjectsV2Command({
        Bucket: this.#bucket,
        Prefix: this.#prefix + under,
        ContinuationToken,
      });
      const page = await this.#attempts.run(({ signal }) => this.#client.send(command, { abortSignal: signal }));
      for (const { Key, Size, LastModified } of page.Contents ?? []) {
        const key = Key!.slice(this.#prefix.length);
        if (isObjectKey(key)) yield { key, bytes: Size!, storedAt_ms: LastModified!.getTime() };
      }
      ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (ContinuationToken !== undefined);
  }

  localPath(): undefined {}

  async removeIncomplete(before_ms: number): Promise<void> {
    const command = new ListMultipartUploadsCommand({ Bucket: this.#bucket, Prefix: this.#prefix });
    const found = await this.#attempts.run(({ signal }) =>
      this.#client.send(command, { abortSignal: signal }).catch(undefinedIfUnknown),
    );
    const { Uploads = [] } = found ?? {};
    for (const { Key, UploadId, Initiated } of Uploads) {
      if (Initiated!.getTime() >= before_ms) continue;
      const abort = new AbortMultipartUploadCommand({ Bucket: this.#bucket, Key, UploadId });
      await this.#attempts.run(({ signal }) => this.#client.send(abort, { abortSignal: signal }).catch(ignoreMissing));
    }
  }

  /** Whether the last call was answered. */
  isUp(): boolean {
    return this.#attempts.isUp();
  }

  close(): void {
    this.#client.destroy();
  }

  #named(key: string): { Bucket: string; Key: string } {
    if (!isObjectKey(key)) throw new Error(`${JSON.stringify(key)} is not the key of an object`);
    return { Bucket: this.#bucket, Key: this.#prefix + key };
  }

  async #send(key: string, content: ObjectContent, { signal, progress }: Attempt): Promise<void> {
    const body = Readable.from(checked(content, progress), { objectMode: false });
    const broken = new Promise<never>((_, reject) => body.once('error', reject));
    broken.catch(() => {});
    const params = { ...this.#named(key), Body: content.bytes === 0 ? Buffer.alloc(0) : body };
    const partSize = this.#part_bytes;
    if (content.bytes > SINGLE_PARTS_MAX * partSize) {
      const upload = new Upload({ client: this.#client, params, partSize, queueSize: 2 });
      upload.on('httpUploadProgress', progress);
      signal.addEventListener('abort', () => void upload.abort(), { once: true });
      await Promise.race([upload.done(), broken]);
      return;
    }
    const command = new PutObjectCommand({ ...params, ContentLength: content.bytes });
    const { sha256 } = content;
    if (sha256 !== undefined) {
      // The signature covers the digest: the service refuses other bytes.
      const withDigest = (next: (args: never) => unknown) => (args: { request: unknown }) => {
        (args.request as { headers: Record<string, string> }).headers['x-amz-content-sha256'] = sha256;
        return next(args as never);
      };
      command.middlewareStack.add(withDigest as never, { step: 'build', name: 'contentDigest' });
    }
    try {
      await Promise.race([this.#client.send(command, { abortSignal: signal }), broken]);
    } finally {
      body.destroy();
    }
  }

  async #opened(key: string, range: ByteRange | undefined, { signal }: Attempt) {
    const Range = range && `bytes=${range.start}-${range.end - 1}`;
    const command = new GetObjectCommand({ ...this.#named(key), ...(Range !== undefined && { Range }) });
    const { Body, ContentLength, ContentRange } = await this.#client.send(command, { abortSignal: signal });
    const bytes = ContentRange === undefined ? ContentLength : Number(ContentRange.split('/')[1]);
    return { bytes: bytes!, body: Body as Readable };
  }

  /** The chunks of a reply, each with a timeout, however slowly they are consumed. */
  async *#pieces(body: Readable): AsyncGenerator<Uint8Array> {
    const from = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
    try {
      for (;;) {
        const { done, value } = await this.#attempts.next(from.next());
        if (done) return;
        yield value;
      }
    } finally {
      body.destroy();
    }
  }

  async #sizeOf(key: string): Promise<number | undefined> {
    try {
      const { ContentLength } = await this.#attempts.run(({ signal }) =>
        this.#client.send(new HeadObjectCommand(this.#named(key)), { abortSignal: signal }).catch(throwMissing(key)),
      );
      return ContentLength!;
    } catch (error) {
      if (error instanceof ObjectMissing) return undefined;
      throw error;
    }
  }
}

function clientOf({ endpoint, region, keyId, secret, isPathStyle, silence_ms }: S3Options): S3Client {
  return new S3Client({
    ...(endpoint !== '' && { endpoint }),
    region,
    forcePathStyle: isPathStyle,
    credentials: { accessKeyId: keyId, secretAccessKey: secret },
    // The client cannot retry a stream.
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    // Failures are reported by the caller.
    logger: { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore },
    requestHandler: { connectionTimeout: silence_ms, httpAgent: POOL, httpsAgent: POOL },
  });
}

/** Closes the idle connections of a client. */
function dropConnections({ config }: S3Client): void {
  const { httpAgent, httpsAgent } = (config.requestHandler as Handler).httpHandlerConfigs();
  for (const pool of [httpAgent, httpsAgent]) {
    for (const sockets of Object.values(pool?.freeSockets ?? {})) for (const each of sockets) each.destroy();
  }
}

/**
 * Verifies the bytes to send. The last chunk is held back until all match the announced digest, so that the service
 * never gets a complete wrong object.
 */
async function* checked(
  { bytes, sha256, open }: ObjectContent,
  progress: () => void,
): AsyncGenerator<Uint8Array, void, void> {
  const digest = sha256 === undefined ? undefined : createHash('sha256');
  let held: Uint8Array | undefined;
  let size = 0;
  for await (const piece of sourced(open())) {
    if (piece.length === 0) continue;
    progress();
    if (held) yield held;
    held = piece;
    size += piece.length;
    digest?.update(piece);
    if (size > bytes) break;
  }
  if (size !== bytes) throw new ContentMismatch(`${size} bytes arrived, and ${bytes} were announced`);
  if (digest && digest.digest('hex') !== sha256) throw new ContentMismatch('the SHA-256 differs');
  if (held) yield held;
}

function ignore(): void {}

/** Marks errors of a source, as opposed to those of the service. */
async function* sourced(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* source;
  } catch (cause) {
    throw new SourceBroken('the source failed', { cause });
  }
}

/** The error name given by the service. */
const nameOf = (error: unknown): string => (error as Error).name;

function throwMissing(key: string): (error: unknown) => never {
  return (error) => {
    throw ['NoSuchKey', 'NotFound'].includes(nameOf(error)) ? new ObjectMissing(key) : error;
  };
}

function ignoreMissing(error: unknown): undefined {
  if (!['NoSuchKey', 'NotFound', 'NoSuchUpload'].includes(nameOf(error))) throw error;
}

/** A service that does not implement the call is not down. @source decision 843 */
function undefinedIfUnknown(error: unknown): undefined {
  if (nameOf(error) !== 'NotImplemented') throw error;
}

function undefinedIfBeyond(error: unknown): undefined {
  if (nameOf(error) !== 'InvalidRange') throw error;
}
