import type { Services } from '../../contract/declare/operation.ts';
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
 * The bytes of segments as one file. A single segment of a store on this machine is not copied.
 * @throws ObjectMissing ObjectsUnavailable
 */
export async function localFileOf(
  segments: readonly UploadSegment[],
  { objects, media: { received } }: Parts,
  signal?: AbortSignal,
): Promise<LocalFile> {
  const path = segments.length === 1 ? objects.localPath(segments[0]!.object_key) : undefined;
  if (path !== undefined) {
    // Whether it exists.
    (await objects.get(segments[0]!.object_key, { start: 0, end: 1 })).content.destroy();
    return { path, assembled: undefined, discard: async () => {} };
  }
  const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
  const file = await received.receive(bytesOf(segments, objects, signal), bytes).catch((error: unknown) => {
    throw error instanceof SourceFailed ? error.cause : error;
  });
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
