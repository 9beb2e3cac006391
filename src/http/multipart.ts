import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { Readable } from 'node:stream';
import type { Busboy as BusboyClass, BusboyInstance } from '@fastify/busboy';
import type { RawValue } from '../contract/declare/fields.ts';
import type { Operation } from '../contract/declare/operation.ts';
import { Problem, problem } from '../contract/problems/problems.ts';
import {
  type ReceivedFile,
  type ReceivedFiles,
  SourceFailed,
  TooManyBytes,
} from '../contract/services/received-files.ts';
import type { BodyReadObserver } from './read-body.ts';
import type { OperationWords } from './vocabulary/vocabulary.ts';

/** Limits of multipart bodies: a parameter may be as long as in a form, and there are no more of them. */
const LIMITS = { fieldSize: 65_536, fields: 64, parts: 80, headerPairs: 32, headerSize: 16_384 };
/** The bytes of a body that may wait for the disk before the sender is slowed down. */
const HELD_BYTES = 524_288;
/** Room for part heads and boundaries around the bytes of a file. */
const AROUND_BYTES = 131_072;

/** Whether the content type of a request is multipart. */
export function hasMultipartBody(request: IncomingMessage): boolean {
  return /^\s*multipart\/form-data\s*(;|$)/i.test(request.headers['content-type'] ?? '');
}

/** Where a multipart body is read into, and its limits. */
export interface MultipartTarget {
  readonly storage: ReceivedFiles;
  readonly files: NonNullable<Operation['files']>;
  /** The maximum size of a file in bytes. */
  readonly bytes_max: number;
  /** Parameters by name; those of the body are added. */
  readonly raw: Map<string, readonly RawValue[]>;
  /** Files by part name; the recipient keeps or discards them, also after a failure. */
  readonly received: Map<string, ReceivedFile>;
  /** The signed hash of the body, if there is one. */
  readonly bodyHash: string | undefined;
  /** The words of the caller, if they are not those of this service. */
  readonly words: OperationWords | undefined;
}

/**
 * Reads a multipart body as it arrives: parameters into memory, files straight to storage. Rejects at the first error;
 * everything received until then is in `received`.
 */
export async function receiveMultipart(
  request: IncomingMessage,
  reception: MultipartTarget,
  watch?: BodyReadObserver,
): Promise<void> {
  const { bytes_max, bodyHash } = reception;
  if (Number(request.headers['content-length'] ?? 0) > Math.ceil((bytes_max * 4) / 3) + AROUND_BYTES) {
    throw tooLarge(bytes_max);
  }
  const parser = parserOf(request, reception);
  const digest = bodyHash === undefined ? undefined : createHash('sha1');
  if (digest) request.on('data', (chunk: Buffer) => digest.update(chunk));
  const taking: Taking[] = [];
  try {
    await readAll(request, parser, reception, { taking, watch });
  } finally {
    // The rest of the body is dropped.
    request.unpipe(parser);
    parser.on('error', () => {});
    parser.destroy();
    for (const { source } of taking) source.destroy();
    await Promise.allSettled(taking.map(({ done }) => done));
    request.resume();
  }
  if (digest && digest.digest('base64') !== bodyHash) {
    throw problem('SIGNATURE_REFUSED', {}, 'the body does not match oauth_body_hash');
  }
}

// Loaded with the first upload.
let Busboy: typeof BusboyClass | undefined;

function parserOf(request: IncomingMessage, { files, words }: MultipartTarget): BusboyInstance {
  Busboy ??= (createRequire(import.meta.url)('@fastify/busboy') as { readonly Busboy: typeof BusboyClass }).Busboy;
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': request.headers['content-type']! },
      limits: LIMITS,
      highWaterMark: HELD_BYTES,
      fileHwm: HELD_BYTES,
      isPartAFile: (name) => name !== undefined && Object.hasOwn(files, words ? words.nameIn(name) : name),
    });
  } catch {
    throw problem('PARTS_UNREADABLE');
  }
}

/** A file that is being received. */
interface Taking {
  readonly source: Readable;
  readonly done: Promise<void>;
}

function readAll(
  request: IncomingMessage,
  parser: BusboyInstance,
  reception: MultipartTarget,
  { taking, watch }: { readonly taking: Taking[]; readonly watch: BodyReadObserver | undefined },
): Promise<void> {
  const { raw, received, storage, words } = reception;
  const own = new Map<string, RawValue[]>();
  const take = async (name: string, source: Readable): Promise<void> => {
    const incoming = await receiveFile(source, name, reception);
    // Of several files with the same name the last one counts.
    const earlier = received.get(name);
    received.set(name, incoming);
    if (earlier) await storage.discard(earlier);
  };
  return new Promise((resolve, reject) => {
    const unreadable = (because: unknown): void => reject(problem('PARTS_UNREADABLE', {}, String(because)));
    parser.on('file', (name, source) => {
      source.on('error', () => {});
      const done = take(words ? words.nameIn(name) : name, source);
      taking.push({ source, done });
      done.catch(reject);
    });
    parser.on('field', (name, value, _, isCut) => {
      if (name === undefined || name.startsWith('oauth_')) return;
      if (isCut) reject(problem('BODY_TOO_LARGE', { words: { max: LIMITS.fieldSize } }));
      else own.set(name, [...(own.get(name) ?? []), value]);
    });
    parser.on('partsLimit', () => unreadable('too many parts'));
    parser.on('fieldsLimit', () => unreadable('too many fields'));
    parser.on('error', unreadable);
    parser.on('finish', () => {
      for (const [name, values] of words ? words.parametersIn(own) : own) raw.set(name, values);
      Promise.all(taking.map(({ done }) => done)).then(() => resolve(), reject);
    });
    watch?.onStart(reject);
    if (watch) {
      let size = 0;
      request.on('data', (chunk: Buffer) => {
        size += chunk.length;
        watch.onProgress(size, 0);
      });
    }
    request.on('error', unreadable);
    request.on('close', () => {
      if (!request.complete) unreadable('the caller went away');
    });
    request.pipe(parser);
  });
}

/** Receives the bytes of a file, decoded if the part is base64 text. */
async function receiveFile(
  source: AsyncIterable<Buffer>,
  name: string,
  reception: MultipartTarget,
): Promise<ReceivedFile> {
  const { storage, files, bytes_max } = reception;
  try {
    return await storage.receive(files[name]!.isBase64 ? decodeBase64(source, name) : source, bytes_max);
  } catch (error) {
    if (error instanceof TooManyBytes) throw tooLarge(bytes_max);
    // Errors of the source are the sender's fault, unlike errors of the disk.
    if (error instanceof SourceFailed) throw asProblem(error);
    throw error;
  }
}

function asProblem({ cause }: SourceFailed): Problem {
  return cause instanceof Problem ? cause : problem('PARTS_UNREADABLE', {}, String(cause));
}

/** Turns a form parameter that holds a file as base64 text into a file. */
export async function receiveTextFiles(reception: MultipartTarget): Promise<void> {
  const { raw, received, files } = reception;
  for (const [name, { isBase64 }] of Object.entries(files)) {
    const values = raw.get(name);
    if (!values || received.has(name)) continue;
    raw.delete(name);
    if (!isBase64 || typeof values[0] !== 'string') throw problem('FILE_NOT_IN_PARTS', { parameter: name });
    // An unescaped plus was decoded as a space.
    const text = Buffer.from(values[0].replaceAll(' ', '+'), 'latin1');
    received.set(name, await receiveFile(onlyOne(text), name, reception));
  }
}

async function* onlyOne(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

function tooLarge(max: number) {
  return problem('FILE_TOO_LARGE', { words: { max } });
}

/** Decodes base64 text piece by piece. Line breaks are skipped; both alphabets are accepted. @throws NOT_BASE64 */
async function* decodeBase64(
  source: AsyncIterable<Uint8Array>,
  parameter: string,
): AsyncGenerator<Buffer, void, undefined> {
  let rest = '';
  let isEnded = false;
  for await (const chunk of source) {
    const text =
      rest + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1').replace(/\s+/g, '');
    if (text === '' || (isEnded && text === '=')) continue;
    if (isEnded || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) throw problem('NOT_BASE64', { parameter });
    isEnded = text.endsWith('=');
    const whole = isEnded ? text.length : text.length - (text.length % 4);
    rest = text.slice(whole);
    if (whole > 0) yield Buffer.from(text.slice(0, whole), 'base64');
  }
  if (rest.length === 1) throw problem('NOT_BASE64', { parameter });
  if (rest !== '') yield Buffer.from(rest, 'base64');
}
