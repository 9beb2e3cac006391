import type { Upload } from '../../src/contract/store/uploads.ts';
import type { World } from './world.ts';

/** An image that somebody has uploaded, but for what is said otherwise; its key is `3_<id>`. */
function uploaded(id: string, user_id: string, facts: Partial<Upload> = {}): Upload {
  return {
    id,
    user_id,
    category: 'POST_IMAGE',
    media_type: 'IMAGE',
    state: 'succeeded',
    mime: 'image/jpeg',
    bytes: 90_000,
    width: 1200,
    height: 628,
    duration_ms: null,
    codec: null,
    poster_mime: null,
    file_name: BigInt(id).toString(16).padStart(16, '0'),
    additional_owners: [],
    object_key: null,
    poster_key: null,
    fault: null,
    is_categorized: true,
    created_at: '2026-03-02T17:00:00Z',
    changed_at: '2026-03-02T17:00:00Z',
    expires_at: null,
    ...facts,
  };
}

/** What makes an upload a video; its key is `13_<id>`. */
export const VIDEO = {
  category: 'AMPLIFY_VIDEO',
  media_type: 'VIDEO',
  mime: 'video/mp4',
  width: 1280,
  height: 720,
  duration_ms: 28_400,
  codec: 'avc1',
} as const satisfies Partial<Upload>;

/** Uploads media as the first user and puts it into the library of an account, by its path; the answer is its key. */
export async function addToLibrary(
  world: Pick<World, 'service' | 'sandbox' | 'keys'>,
  path: string,
  id: string,
  facts: Partial<Upload> = {},
): Promise<string> {
  const upload = uploaded(id, world.keys.user_id!, facts);
  await world.service.store.write((tx) => tx.uploads.add(upload));
  const prefix = { POST_IMAGE: 3, POST_VIDEO: 7, AMPLIFY_VIDEO: 13, POST_GIF: 16 }[upload.category];
  const media_key = `${prefix}_${id}`;
  const { status, text } = await world.sandbox.call('POST', `${path}/media_library`, { params: { media_key } });
  if (status !== 200) throw new Error(text);
  return media_key;
}
