import type { Call } from '../../contract/declare/operation.ts';
import { problem } from '../../contract/problems/problems.ts';
import { contentOfFile } from '../../contract/services/objects.ts';
import type { ReceivedFile } from '../../contract/services/received-files.ts';
import type { Upload } from '../../contract/store/uploads.ts';
import { segmentKey } from './object-keys.ts';
import { findOwnUpload } from './own-upload.ts';

/**
 * Stores a segment of an upload: first an object, then the row that makes it a part of the upload; both are durable
 * before it is acknowledged. An object without a row is removed when the upload ends.
 * @source decision 783
 */
export async function appendSegment(call: Call, id: string): Promise<Upload> {
  const { media, objects, secrets, store } = call.services;
  const upload = await findOwnUpload(call, id);
  const file = uploadedFile(call);
  const { media_segment_bytes_max: max } = media.uploadRules;
  if (file.bytes > max) throw problem('FILE_TOO_LARGE', { words: { max } });
  if (upload.state !== 'uploading') throw closed(id);
  const segment_index = Number(call.input.segment_index);
  const object_key = segmentKey(id, segment_index, secrets);
  const { place, bytes, sha256 } = file;
  const { synced } = await objects.place(object_key, contentOfFile(place, bytes, sha256));
  const stored = store.write(async (tx) => {
    const current = await tx.uploads.lock(id);
    if (current?.state !== 'uploading') return { refusal: closed(id), unused: object_key };
    const earlier = await tx.uploads.findSegment(id, segment_index);
    const received = (await tx.uploads.sumSegments(id)) - (earlier?.bytes ?? 0) + bytes;
    if (received > current.bytes) {
      const words = { expected: current.bytes, received };
      return { refusal: problem('SEGMENTS_EXCEED', { words }), unused: object_key };
    }
    // A segment that was acknowledged is replaced by nothing less.
    if (earlier) await synced;
    await tx.uploads.putSegment({ upload_id: id, segment_index, object_key, bytes, sha256: sha256 ?? null });
    return { refusal: undefined, unused: earlier?.object_key };
  });
  const [{ refusal, unused }] = await Promise.all([stored, synced]);
  // If that fails, it is removed when the upload ends.
  if (unused !== undefined) await objects.remove([unused]).catch(() => {});
  if (refusal) throw refusal;
  return upload;
}

function closed(id: string) {
  return problem('UPLOAD_CLOSED', { parameter: 'media_id', words: { raw: id } });
}

/** The single file of a multipart call. @throws FILE_MISSING, FILES_EXCLUSIVE */
export function uploadedFile({ files }: Call): ReceivedFile {
  const [file, second] = files.values();
  const words = { a: 'media', b: 'media_data' };
  if (second) throw problem('FILES_EXCLUSIVE', { words });
  if (!file || file.bytes === 0) throw problem('FILE_MISSING', { words });
  return file;
}
