import { readFile } from 'node:fs/promises';
import type { Services } from '../contract/declare/operation.ts';
import { type MediaCategory, mediaKeyOf } from '../contract/services/media.ts';
import { contentOfBytes } from '../contract/services/objects.ts';
import type { Upload } from '../contract/store/uploads.ts';
import { newUpload } from '../features/media/initialize-upload.ts';
import { readyKey } from '../features/media/object-keys.ts';

/** The results of processing a file. */
type Processed = Pick<Upload, 'category' | 'mime' | 'width' | 'height' | 'duration_ms' | 'codec'>;

/** A file of the demo world. */
export interface DemoMedia extends Processed {
  readonly file: string;
  /** The file of its first frame; undefined for images. */
  readonly poster?: string;
}

const picture = (file: string, width: number, height: number): DemoMedia => ({
  file,
  category: 'POST_IMAGE',
  mime: 'image/png',
  width,
  height,
  duration_ms: null,
  codec: null,
});
const video = (file: string, category: MediaCategory, width: number, height: number): DemoMedia => ({
  file,
  poster: file.replace('.mp4', '.jpg'),
  category,
  mime: 'video/mp4',
  width,
  height,
  duration_ms: 3000,
  codec: 'AVC',
});

/**
 * The pictures and videos of the demo world, with what processing finds in them: looking into a video takes longer than
 * starting the server.
 * @source decision 1201
 */
export const DEMO_MEDIA: readonly DemoMedia[] = [
  picture('loaf.png', 800, 418),
  picture('rolls.png', 800, 418),
  picture('cake.png', 800, 800),
  picture('sign.png', 300, 250),
  video('oven.mp4', 'AMPLIFY_VIDEO', 640, 360),
  video('dough.mp4', 'POST_VIDEO', 400, 400),
];

/** The bytes of a file of the demo world. */
export function readDemoMedia(file: string): Promise<Buffer> {
  return readFile(new URL(`./demo-media/${file}`, import.meta.url));
}

/** Where media were placed. */
interface Placed {
  /** The media keys, by file. */
  readonly keys: ReadonlyMap<string, string>;
  /** Resolves once their bytes are durable. */
  readonly synced: Promise<unknown>;
}

/** Stores the media as uploads of a user, processed. `now` is UTC text. */
export async function placeDemoMedia(
  services: Services,
  { user, now }: { readonly user: string; readonly now: string },
): Promise<Placed> {
  const { objects, secrets, store } = services;
  const syncs: Promise<void>[] = [];
  const place = async (id: string, name: 'whole' | 'poster', bytes: Buffer): Promise<string> => {
    const key = readyKey(id, name, secrets);
    syncs.push((await objects.place(key, contentOfBytes(bytes))).synced);
    return key;
  };
  const uploads = await Promise.all(
    DEMO_MEDIA.map(async ({ file, poster, ...found }): Promise<Upload> => {
      const draft = await newUpload(
        { services, principal: { user }, input: { media_category: found.category }, now },
        found.category,
      );
      const bytes = await readDemoMedia(file);
      return {
        ...draft,
        ...found,
        state: 'succeeded',
        bytes: bytes.length,
        object_key: await place(draft.id, 'whole', bytes),
        poster_key: poster === undefined ? null : await place(draft.id, 'poster', await readDemoMedia(poster)),
        poster_mime: poster === undefined ? null : 'image/jpeg',
        // The library uses them.
        expires_at: null,
      };
    }),
  );
  await store.write(async (tx) => {
    for (const upload of uploads) await tx.uploads.add(upload);
  });
  const keys = uploads.map(({ category, id }, index) => [DEMO_MEDIA[index]!.file, mediaKeyOf(category, id)] as const);
  return { keys: new Map(keys), synced: Promise.all(syncs) };
}
