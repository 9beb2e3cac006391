import { createReadStream } from 'node:fs';
import { isObjectKey, ObjectMissing, type ObjectStore } from '../contract/services/objects.ts';
import type { Upload, UploadSegment } from '../contract/store/uploads.ts';
import type { Session } from '../storage/core/session.ts';
import { queryRaw, type TableSchema } from '../storage/transfer/table-schema.ts';
import type { BackupFile } from './format.ts';
import { fileSize, type MediaSnapshot } from './media-snapshot.ts';

/** The source of media objects. */
export interface MediaSource {
  readonly store: ObjectStore;
  /** Holds them while the copy is made, where they are files of this machine. */
  readonly snapshot: MediaSnapshot | undefined;
}

/** The number of uploads read at a time. */
const PAGE = 500;

type UploadRow = Pick<Upload, 'id' | 'state' | 'expires_at' | 'object_key' | 'poster_key'>;

/**
 * The objects that the rows of a snapshot name.
 * @param now UTC text: an upload that had expired by then may be gone, because any process removes such uploads.
 * @param onMissing Receives the id of each upload with an object that does not exist.
 * @source decision 453
 */
export async function* mediaIn(
  session: Session,
  tables: readonly TableSchema[],
  { store, snapshot }: MediaSource,
  { now, onMissing }: { readonly now: string; readonly onMissing: (id: string) => void },
): AsyncGenerator<BackupFile> {
  const names = new Set(tables.map(({ name }) => name));
  if (!names.has('uploads')) return;
  const hasKeys = names.has('upload_segments');
  for await (const upload of uploadsIn(session, hasKeys)) {
    const keys = hasKeys ? await keysOf(session, upload) : await snapshot?.keysOf(upload.id);
    let isMissing = keys === undefined || (!hasKeys && keys.length === 0 && isProcessed(upload));
    for (const key of keys ?? []) {
      const found = await opened(key, { store, snapshot });
      if (found) yield found;
      else isMissing = true;
    }
    if (isMissing && !(upload.expires_at !== null && upload.expires_at <= now)) onMissing(upload.id);
  }
}

const isProcessed = ({ state }: UploadRow): boolean => state !== 'uploading' && state !== 'failed';

async function* uploadsIn(session: Session, hasKeys: boolean): AsyncGenerator<UploadRow> {
  const keys = hasKeys ? 'object_key, poster_key' : 'null as object_key, null as poster_key';
  for (let last = ''; ; ) {
    const sql = `select id, state, expires_at, ${keys} from uploads where id > ? order by id limit ${PAGE}`;
    const rows = await queryRaw<UploadRow>(session, sql, [last]);
    yield* rows;
    if (rows.length < PAGE) return;
    last = rows.at(-1)!.id;
  }
}

async function keysOf(session: Session, { id, object_key, poster_key }: UploadRow): Promise<string[]> {
  const sql = 'select object_key from upload_segments where upload_id = ? order by segment_index';
  const segments = await queryRaw<Pick<UploadSegment, 'object_key'>>(session, sql, [id]);
  const named = [object_key, poster_key].filter((key) => key !== null);
  return [...named, ...segments.map((segment) => segment.object_key)];
}

async function opened(path: string, { store, snapshot }: MediaSource): Promise<BackupFile | undefined> {
  if (!isObjectKey(path)) return undefined;
  if (snapshot) {
    const source = await snapshot.pathOf(path);
    if (source === undefined) return undefined;
    const bytes = await fileSize(source);
    return { path, bytes, content: contentOf(source, bytes) };
  }
  try {
    const { bytes, content } = await store.get(path);
    return { path, bytes, content };
  } catch (error) {
    if (error instanceof ObjectMissing) return undefined;
    throw error;
  }
}

/** Reads a file up to the given length: earlier releases appended to files that were held. */
async function* contentOf(source: string, bytes: number): AsyncGenerator<Uint8Array> {
  if (bytes > 0) yield* createReadStream(source, { end: bytes - 1 });
}
