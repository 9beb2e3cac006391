import type { Services } from '../../contract/declare/operation.ts';
import type { ListedObject } from '../../contract/services/objects.ts';
import type { UploadSegment } from '../../contract/store/uploads.ts';
import { prefixesOf } from './object-keys.ts';

/** The job that a migration plans when there may be segments without rows. */
const ADOPTION = 'media-adoption';
const ALL = 'all';

/**
 * Adds rows for the segments of unfinished uploads that earlier releases received, which had none. Runs at the first
 * start after an upgrade, or after a restore of an older backup, before any call.
 * @source decision 787
 */
export async function adoptSegments({ store, objects }: Pick<Services, 'store' | 'objects'>): Promise<void> {
  const ids = await store.read(async (tx) =>
    (await tx.jobs.find(ADOPTION, ALL)) === undefined ? undefined : tx.uploads.listUnfinished(),
  );
  if (!ids) return;
  const segments: UploadSegment[] = [];
  for (const id of ids) {
    const found: ListedObject[] = [];
    for (const prefix of prefixesOf(id)) for await (const each of objects.list(prefix)) found.push(each);
    segments.push(...segmentsAmong(id, found));
  }
  await store.write(async (tx) => {
    for (const segment of segments) await tx.uploads.putSegment(segment);
    await tx.jobs.cancel(ADOPTION, ALL);
  });
}

/** Segments had their number as name; of an upload that was assembled already, the whole file is one. */
function segmentsAmong(upload_id: string, found: readonly ListedObject[]): UploadSegment[] {
  const whole = found.find(({ key }) => key.endsWith('/whole'));
  const objects = whole ? [whole] : found.filter(({ key }) => /\/\d+$/.test(key));
  return objects.map(({ key, bytes }) => {
    const segment_index = whole ? 0 : Number(key.slice(key.lastIndexOf('/') + 1));
    return { upload_id, segment_index, object_key: key, bytes, sha256: null };
  });
}
