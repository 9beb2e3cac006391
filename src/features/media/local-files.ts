import type { Services } from '../../contract/declare/operation.ts';
import { ObjectMissing } from '../../contract/services/objects.ts';
import { type ReceivedFile, SourceFailed } from '../../contract/services/received-files.ts';
import type { UploadSegment } from '../../contract/store/uploads.ts';

/** A file of this machine with the bytes of an upload. */
export interface LocalFile {
  readonly path: string;
  /** The file, if it was assembled: it is not an object yet. */
  readonly assembled: ReceivedFile | undefined;
  /** Removes the file, unless it is or became an object. */
  discard(): Promise<void>;
}

type Parts = Pick<Services, 'objects' | 'media'>;

/**
 * The bytes of segments as one file. A single segment of a store on this machine is not copied. An object may be
 * missing, or short, when its segment was never acknowledged and the power failed.
 * @throws ObjectMissing ObjectsUnavailable
 */
export async function localFileOf(
  segments: readonly UploadSegment[],
  { objects, media: { received } }: Parts,
  signal?: AbortSignal,
): Promise<LocalFile> {
  const path = segments.length === 1 ? objects.localPath(segments[0]!.object_key) : undefined;
  if (path !== undefined) {
    const found = await objects.head(segments[0]!.object_key);
    if (found?.bytes !== segments[0]!.bytes) throw new ObjectMissing(segments[0]!.object_key);
    return { path, assembled: undefined, discard: async () => {} };
  }
  const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
  const file = await received.receive(bytesOf(segments, objects, signal), bytes).catch((error: unknown) => {
    throw error instanceof SourceFailed ? error.cause : error;
  });
  if (file.bytes !== bytes) {
    await received.discard(file);
    throw new ObjectMissing(segments[0]!.object_key);
  }
  return { path: file.place, assembled: file, discard: () => received.discard(file) };
}

async function* bytesOf(
  segments: readonly UploadSegment[],
  objects: Parts['objects'],
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (const { object_key } of segments) {
    signal?.throwIfAborted();
    const { content } = await objects.get(object_key, undefined, signal);
    yield* content;
  }
}
