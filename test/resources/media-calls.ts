import { MEDIA_CATEGORIES, type MediaCategory, mediaKeyOf } from '../../src/contract/services/media.ts';
import type { Upload, UploadState } from '../../src/contract/store/uploads.ts';
import type { Client, Reply } from '../rig/client.ts';
import type { World } from '../rig/world.ts';

let number = 1_730_020_011_223_344_000n;

/** Puts an upload into the store, as if it had been sent and looked at; the answer is its key. */
export async function insertUpload(
  world: World,
  category: MediaCategory,
  facts: Partial<Omit<Upload, 'category'>> = {},
): Promise<string> {
  const id = facts.id ?? String(++number);
  const isImage = category === 'POST_IMAGE';
  await world.service.store.write((tx) =>
    tx.uploads.add({
      id,
      user_id: world.keys.user_id!,
      category,
      media_type: MEDIA_CATEGORIES[category].type,
      state: 'succeeded',
      mime: isImage ? 'image/jpeg' : 'video/mp4',
      bytes: 4_815_162,
      width: 1280,
      height: 720,
      duration_ms: MEDIA_CATEGORIES[category].type === 'VIDEO' ? 28_400 : null,
      codec: isImage ? null : 'avc1',
      poster_mime: null,
      file_name: BigInt(id).toString(16).padStart(16, 'f'),
      additional_owners: [],
      object_key: null,
      poster_key: null,
      fault: null,
      is_categorized: true,
      created_at: '2026-03-02T17:00:00Z',
      changed_at: '2026-03-02T17:00:00Z',
      expires_at: '2026-03-03T17:00:00Z',
      ...facts,
    }),
  );
  return mediaKeyOf(category, id);
}

/** What becomes of an upload. */
export async function setUpload(world: World, key: string, from: UploadState, facts: Partial<Upload>): Promise<void> {
  const [, id] = key.split('_');
  await world.service.store.write((tx) => tx.uploads.change(id!, from, facts));
}

/** The upload of a key, as it is stored. */
export async function findUpload(world: World, key: string): Promise<Upload | undefined> {
  const [, id] = key.split('_');
  return world.service.store.read((tx) => tx.uploads.find(id!));
}

/** The account of user one in production: keys are taken there only for what was uploaded. */
export async function productionPath(world: World): Promise<string> {
  const [account] = (await world.production.call('GET', '/12/accounts')).body.data;
  return `/12/accounts/${account.id}`;
}

/** Calls below an account. */
export function callsBelow(client: () => Client, path: () => string) {
  return (method: string, end: string, params: Readonly<Record<string, string | number>> = {}): Promise<Reply> =>
    client().call(method, path() + end, { params });
}

/** What a reply says is wrong: status, code and what it is about. */
export function errorsOf(reply: Reply): string[] {
  return [
    String(reply.status),
    ...(reply.body.errors ?? []).map(({ code, parameter }: { code: string; parameter?: string }) =>
      `${code} ${parameter ?? ''}`.trim(),
    ),
  ];
}
