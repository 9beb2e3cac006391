import { addSeconds } from '../../base/instants.ts';
import { itemsOf } from '../../contract/declare/fields.ts';
import type { Call, Services } from '../../contract/declare/operation.ts';
import { LONG_IDS_FROM } from '../../contract/declare/resource.ts';
import { type ErrorDetail, Problem } from '../../contract/problems/problems.ts';
import { MEDIA_CATEGORIES, type MediaCategory } from '../../contract/services/media.ts';
import type { Upload, UploadSettings } from '../../contract/store/uploads.ts';
import { EXPIRY } from './expiry.ts';
import { ACCEPTED_FILES, defaultCategory, normalizeMime } from './media-categories.ts';

/** Creates an upload that accepts segments. */
export async function initializeUpload(call: Call): Promise<Upload> {
  const { services, input, now } = call;
  const mime = normalizeMime(String(input.media_type));
  const bytes = Number(input.total_bytes);
  const category = requestedCategory(call) ?? defaultCategory(mime);
  const { uploadRules: rules } = services.media;
  checkDeclaredFile({ category, mime, bytes }, rules);
  const { media_amplify_unused_ttl_s, media_unused_ttl_s } = rules;
  const expires_at = addSeconds(now, category === 'AMPLIFY_VIDEO' ? media_amplify_unused_ttl_s : media_unused_ttl_s);
  const upload: Upload = { ...(await newUpload(call, category!)), state: 'uploading', mime, bytes, expires_at };
  await storeNewUpload(services, upload);
  return upload;
}

/** The requested media category. */
export function requestedCategory({ input }: Pick<Call, 'input'>): MediaCategory | undefined {
  return input.media_category == null ? undefined : (String(input.media_category).toUpperCase() as MediaCategory);
}

/** The values of a new upload before its file is known. */
export async function newUpload(
  {
    services,
    principal,
    input,
    now,
  }: Pick<Call, 'services' | 'input' | 'now'> & {
    readonly principal: Pick<Call['principal'], 'user'>;
  },
  category: MediaCategory,
) {
  const [id] = await services.ids.takeLong('uploads', LONG_IDS_FROM, 1);
  return {
    id: id!,
    user_id: principal.user,
    category,
    media_type: MEDIA_CATEGORIES[category].type,
    width: null,
    height: null,
    duration_ms: null,
    codec: null,
    poster_mime: null,
    // Unguessable, so that media cannot be found before it is published. @source decision 198
    file_name: services.secrets.bytes(8).toString('hex'),
    additional_owners: input.additional_owners == null ? [] : itemsOf(String(input.additional_owners)),
    object_key: null,
    poster_key: null,
    fault: null,
    is_categorized: input.media_category != null,
    created_at: now,
    changed_at: now,
  } as const;
}

/** Stores a new upload and schedules its expiry. */
export async function storeNewUpload({ store: on }: Services, upload: Upload): Promise<void> {
  await on.write(async (tx) => {
    await tx.uploads.add(upload);
    await tx.jobs.plan({ kind: EXPIRY, key: upload.id, run_at: upload.expires_at! });
  });
}

/** Rejects declared files of unknown type, unsuitable category or excessive size. */
function checkDeclaredFile(
  { category, mime, bytes }: { category: MediaCategory | undefined; mime: string; bytes: number },
  rules: UploadSettings,
): void {
  const errors: ErrorDetail[] = [];
  const words = { category: category?.toLowerCase() ?? '', mime, bytes, raw: mime };
  if (!defaultCategory(mime) && !Object.values(ACCEPTED_FILES).some(({ mimes }) => mimes.includes(mime))) {
    errors.push({ problem: 'MEDIA_TYPE_UNKNOWN', parameter: 'media_type', words });
  } else if (category && !ACCEPTED_FILES[category].mimes.includes(mime)) {
    errors.push({ problem: 'MEDIA_CATEGORY_UNFIT', parameter: 'media_category', words });
  }
  const max = category && rules[ACCEPTED_FILES[category].bytes_max];
  if (max !== undefined && bytes > max) {
    errors.push({ problem: 'MEDIA_TOO_LARGE', parameter: 'total_bytes', words: { ...words, raw: bytes, max } });
  }
  if (errors.length > 0) throw new Problem(errors);
}
