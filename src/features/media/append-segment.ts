import type { Call } from '../../contract/declare/operation.ts';
import { problem } from '../../contract/problems/problems.ts';
import type { ReceivedFile } from '../../contract/services/blobs.ts';
import type { Upload } from '../../contract/store/uploads.ts';
import { findOwnUpload } from './own-upload.ts';

/** Stores a segment of an upload. */
export async function appendSegment(call: Call, id: string): Promise<Upload> {
  const {
    media: { blobs, uploadRules: uploads },
  } = call.services;
  const upload = await findOwnUpload(call, id);
  const file = uploadedFile(call);
  if (file.bytes > uploads.media_segment_bytes_max) {
    throw problem('FILE_TOO_LARGE', { words: { max: uploads.media_segment_bytes_max } });
  }
  if (upload.state !== 'uploading') throw closed(id);
  const index = Number(call.input.segment_index);
  const { state, received } = await blobs.place(id, index, file, upload.bytes);
  if (state === 'exceeds') throw problem('SEGMENTS_EXCEED', { words: { expected: upload.bytes, received } });
  if (state === 'closed') throw closed(id);
  return upload;
}

function closed(id: string) {
  return problem('UPLOAD_CLOSED', { parameter: 'media_id', words: { raw: id } });
}

/** The single file of a multipart call. @throws FILE_MISSING, FILES_EXCLUSIVE */
export function uploadedFile({ files }: Call): ReceivedFile {
  const [file, second] = files.values();
  if (second) throw problem('FILES_EXCLUSIVE');
  if (!file || file.bytes === 0) throw problem('FILE_MISSING');
  return file;
}
