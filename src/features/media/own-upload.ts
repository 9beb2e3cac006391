import { isLongId } from '../../contract/declare/long-ids.ts';
import type { Call } from '../../contract/declare/operation.ts';
import { problem } from '../../contract/problems/problems.ts';
import type { Upload } from '../../contract/store/uploads.ts';

/**
 * An unexpired upload of the caller; `owner` also allows additional owners, for reading the status.
 * @throws UPLOAD_UNKNOWN
 */
export async function findOwnUpload(call: Call, id: string, whose: 'sender' | 'owner' = 'sender'): Promise<Upload> {
  const { services, principal, now } = call;
  const upload = isLongId(id) ? await services.store.read((tx) => tx.uploads.find(id)) : undefined;
  const isOwn = upload?.user_id === principal.user;
  const isShared = whose === 'owner' && upload?.additional_owners.includes(principal.user);
  if (!upload || !(isOwn || isShared) || hasExpired(upload, now)) {
    throw problem('UPLOAD_UNKNOWN', { parameter: 'media_id', words: { raw: id } });
  }
  return upload;
}

/** Whether an upload has expired, even if it is not removed yet. */
export function hasExpired({ expires_at }: Pick<Upload, 'expires_at'>, now: string): boolean {
  return expires_at !== null && expires_at <= now;
}
