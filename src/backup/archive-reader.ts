import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { PassThrough, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { type Extract, extract } from 'tar-stream';
import type { TableChecksum } from '../storage/transfer/read-rows.ts';
import { MalformedRow } from '../storage/transfer/row-lines.ts';
import { type BackupHeader, type BackupSink, type BackupSummary, FORMAT_VERSION, isBackedUpPath } from './format.ts';

type Member = Extract extends AsyncIterable<infer Each> ? Each : never;

/** An archive was changed since it was written, or was not written by this program. */
export class ArchiveDamaged extends Error {
  override readonly name = 'ArchiveDamaged';
}

/** More than any text member that is written. */
const TEXT_BYTES_MAX = 268_435_456;

/** Sends the contents of an archive to a sink, and verifies every checksum. @throws ArchiveDamaged */
export async function readArchive(path: string, sink: BackupSink): Promise<void> {
  const decompressor = await decompressorFor(path);
  const members = extract();
  let broken: Error | undefined;
  const arriving = pipeline(createReadStream(path), decompressor, members).catch((error) => {
    broken ??= error;
  });
  const reading = new ArchiveReading(sink);
  let failure: unknown;
  try {
    for await (const member of members) {
      await reading.take(member).catch((error) => {
        failure = error;
        throw error;
      });
    }
  } catch (error) {
    throw failure ?? damage(error);
  }
  await arriving;
  if (broken) throw damage(broken);
  reading.finish();
}

/** The bytes of a member. Any error here means that the archive is damaged. */
async function* bytesOf(member: Member): AsyncGenerator<Buffer> {
  try {
    yield* member as AsyncIterable<Buffer>;
  } catch (error) {
    throw damage(error);
  }
}

/** Converts decompression and tar errors to ArchiveDamaged; errors of the operating system are passed on. */
function damage(error: unknown): unknown {
  const { syscall, message } = error as NodeJS.ErrnoException;
  if (syscall !== undefined) return error;
  return new ArchiveDamaged(`the archive is damaged or incomplete (${message})`, { cause: error });
}

async function decompressorFor(path: string): Promise<Transform> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    if (buffer.readUInt32BE() === 0x28b52ffd) return createZstdDecompress();
    if (buffer.readUInt16BE() === 0x1f8b) return createGunzip();
    return new PassThrough();
  } finally {
    await file.close();
  }
}

/** The reading of an archive: members in the order in which they were written, with their checksums. */
class ArchiveReading {
  readonly #sink: BackupSink;
  #head: BackupHeader | undefined;
  #isWhole = false;
  #sumsRead = 0;
  /** Checksums of members that were read but not yet verified. */
  #lines: string[] = [];
  readonly #tables = new Map<string, { readonly sum: Hash; rows: number }>();
  readonly #files = { count: 0, bytes: 0 };

  constructor(sink: BackupSink) {
    this.#sink = sink;
  }

  async take(member: Member): Promise<void> {
    const { name, type } = member.header;
    const [kind, table = ''] = name.split('/');
    if ((this.#head === undefined) !== (name === 'backup.json') || this.#isWhole) {
      throw new ArchiveDamaged(`the file is not a backup of this program (${name} where it does not belong)`);
    }
    if (name === 'backup.json') await this.#takeHead(member);
    else if (name === 'manifest.json') await this.#takeManifest(member);
    else if (kind === 'rows') await this.#takeRows(member, table);
    else if (kind === 'sums') await this.#takeSums(member);
    // Of releases in which an upload had a folder for its segments.
    else if (type === 'directory' && isBackedUpPath(name.replace(/\/$/, ''))) member.resume();
    else if (type === 'file' && isBackedUpPath(name)) await this.#takeFile(member);
    else throw new ArchiveDamaged(`${name} does not belong in a backup`);
    member.resume();
  }

  finish(): void {
    if (this.#isWhole) return;
    throw new ArchiveDamaged('the archive is incomplete: its manifest, which comes last, is missing');
  }

  async #takeHead(member: Member): Promise<void> {
    const head = parsed<BackupHeader>(await this.#textOf(member), member.header.name);
    if (head.format > FORMAT_VERSION) {
      throw new ArchiveDamaged(`the archive has format ${head.format}, of a release newer than this one`);
    }
    this.#head = head;
    for (const table of head.tables) this.#tables.set(table.name, { sum: createHash('sha256'), rows: 0 });
    await this.#sink.header(head);
  }

  async #takeRows(member: Member, name: string): Promise<void> {
    const table = this.#head?.tables.find((each) => each.name === name);
    if (!table) throw new ArchiveDamaged(`rows of ${name}, which the archive does not declare`);
    const bytes = await this.#textOf(member);
    const own = this.#tables.get(name)!;
    own.sum.update(bytes);
    const rows = countLines(bytes);
    own.rows += rows;
    await this.#sink.rows(table, bytes, rows).catch((error) => {
      throw error instanceof MalformedRow ? damage(error) : error;
    });
  }

  async #takeFile(member: Member): Promise<void> {
    const { name: path, size = 0 } = member.header;
    const sum = createHash('sha256');
    async function* content(): AsyncGenerator<Uint8Array> {
      for await (const piece of bytesOf(member)) {
        sum.update(piece);
        yield piece;
      }
    }
    await this.#sink.file({ path, bytes: size, content: content() });
    this.#note(path, sum);
    this.#files.count += 1;
    this.#files.bytes += size;
  }

  async #takeSums(member: Member): Promise<void> {
    const expected = this.#lines;
    this.#lines = [];
    const { name } = member.header;
    const found = (await this.#textOf(member)).toString().split(/(?<=\n)/);
    this.#sumsRead += 1;
    const at = expected.findIndex((line, index) => line !== found[index]);
    if (at >= 0) throw new ArchiveDamaged(`${expected[at]!.slice(66).trim()} is damaged (SHA-256 mismatch)`);
    if (found.length !== expected.length) throw new ArchiveDamaged(`${name} names members that the archive lacks`);
  }

  async #takeManifest(member: Member): Promise<void> {
    const manifest = parsed<BackupSummary & { sums: number }>(await this.#textOf(member), member.header.name);
    const tables: Record<string, TableChecksum> = {};
    for (const [name, { sum, rows }] of this.#tables) {
      const sha256 = sum.digest('hex');
      const expected = manifest.tables[name];
      if (expected?.rows !== rows || expected.sha256 !== sha256) {
        throw new ArchiveDamaged(`the rows of ${name} are not those that were written`);
      }
      tables[name] = { rows, sha256 };
    }
    const { count, bytes } = this.#files;
    if (manifest.sums !== this.#sumsRead || manifest.files.count !== count || manifest.files.bytes !== bytes) {
      throw new ArchiveDamaged('files or checksums are missing');
    }
    this.#isWhole = true;
    await this.#sink.end({ tables, files: this.#files });
  }

  async #textOf(member: Member): Promise<Buffer> {
    const { name, size = 0 } = member.header;
    if (size > TEXT_BYTES_MAX) throw new ArchiveDamaged(`${name} is too large`);
    const pieces: Uint8Array[] = [];
    for await (const piece of bytesOf(member)) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    this.#note(name, createHash('sha256').update(bytes));
    return bytes;
  }

  #note(name: string, sum: Hash): void {
    this.#lines.push(`${sum.digest('hex')}  ${name}\n`);
  }
}

function parsed<T>(bytes: Buffer, name: string): T {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new ArchiveDamaged(`${name} cannot be read`);
  }
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count += 1;
  return count;
}
