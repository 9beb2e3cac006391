import { addSeconds } from '../../base/instants.ts';
import { digits, integer, listOf, oneOf, text } from '../../contract/declare/fields.ts';
import type { Call, Input, Operation, Parameters } from '../../contract/declare/operation.ts';
import { type ErrorDetail, type ProblemName, problem } from '../../contract/problems/problems.ts';
import { contentOfFile } from '../../contract/services/objects.ts';
import type { Upload } from '../../contract/store/uploads.ts';
import { appendSegment, uploadedFile } from './append-segment.ts';
import { finalizeUpload } from './finalize-upload.ts';
import { initializeUpload, newUpload, requestedCategory, storeNewUpload } from './initialize-upload.ts';
import { ACCEPTED_FILES, defaultCategory, mediaCategory } from './media-categories.ts';
import { readyKey } from './object-keys.ts';
import { shownFile } from './shown-file.ts';

/** Description of the group of upload operations. */
export const UPLOAD_GROUP_DESCRIPTION =
  'Uploads media in segments, in any order and resumable, or an image in one call. Metadata such as position and names is ' +
  'removed; what not every browser shows, such as TIFF or HEVC, is converted where the server has ffmpeg, and fails elsewhere. ' +
  'Unused media is removed after a day.';

/** The multipart parts that hold the file. */
export const uploadFiles: NonNullable<Operation['files']> = {
  media: { about: 'The file.', isBase64: false },
  media_data: { about: 'The file as base64, instead of media.', isBase64: true },
};

/** Maximum size of a part in bytes: a segment or an image. @source decision 188 */
export const uploadBytesMax: NonNullable<Operation['bytesMax']> = (rules) =>
  Math.max(rules.media_segment_bytes_max, rules.media_image_bytes_max);

/** Parameters of INIT. */
export const initializeParameters = {
  total_bytes: integer({ min: 1, max: 4_294_967_296 }).describe('Total size in bytes.'),
  media_type: text({ max: 100 }).describe('Media type of the file, such as `video/mp4`.'),
  media_category: mediaCategory,
  additional_owners: listOf(digits({ max: 19 }), { max: 100 }).describe('Ids of other users who may use the media.'),
};

/** Id of an upload. */
export const media_id = digits({ max: 19 }).describe('Id of the upload, from the reply to INIT.');

/** The position of a segment. */
export const segment_index = integer({ min: 0, max: 999 }).describe(
  'Segment index from 0; a repeated index replaces the segment.',
);

/** The step of an upload that a command performs. */
type Step = 'initialize' | 'append' | 'finalize';

interface Command {
  readonly required: readonly string[];
  readonly step: Step;
  perform(call: Call, id: string): Promise<Upload>;
}

const COMMANDS: Readonly<Record<'INIT' | 'APPEND' | 'FINALIZE', Command>> = {
  INIT: { required: ['total_bytes', 'media_type'], step: 'initialize', perform: initializeUpload },
  APPEND: { required: ['media_id', 'segment_index'], step: 'append', perform: appendSegment },
  FINALIZE: { required: ['media_id'], step: 'finalize', perform: finalizeUpload },
};

/** The parameters of all upload commands. */
export const commandParameters: Parameters = {
  command: oneOf('INIT', 'APPEND', 'FINALIZE').describe(
    'Upload command; without it, the call uploads an image at once.',
  ),
  media_id,
  segment_index,
  ...initializeParameters,
};

/** Errors for the missing parameters of a command. */
export function missingParameters(input: Input): ErrorDetail[] {
  const missing = commandOf(input)?.required.filter((name) => input[name] == null) ?? [];
  return missing.map((parameter) => ({ problem: 'MISSING_PARAMETER', parameter }));
}

function commandOf({ command }: Input): Command | undefined {
  return command == null ? undefined : COMMANDS[command as keyof typeof COMMANDS];
}

/** Performs an upload command, or a one-call image upload without one. */
export async function performCommand(call: Call): Promise<{ readonly upload: Upload; readonly step: Step }> {
  const command = commandOf(call.input);
  if (!command) return { upload: await uploadImage(call), step: 'finalize' };
  return { upload: await command.perform(call, String(call.input.media_id)), step: command.step };
}

/** Uploads an image or GIF in one call. @source decision 188 */
async function uploadImage(call: Call): Promise<Upload> {
  const { media, objects, secrets } = call.services;
  const { uploadRules: rules } = media;
  const file = uploadedFile(call);
  const category = requestedCategory(call);
  if (category && category !== 'POST_IMAGE' && category !== 'POST_GIF') {
    throw problem('MEDIA_TYPE_UNKNOWN', { parameter: 'media_category', words: { raw: category.toLowerCase() } });
  }
  const expected = { category: category ?? ('POST_IMAGE' as const), media_type: 'IMAGE' as const, mime: '' };
  // Images are converted at once.
  const shown = (await shownFile(file.place, expected, media))!;
  if ('fault' in shown) throw problem('MEDIA_INVALID', { words: { reason: shown.fault } });
  const { properties, copy } = shown;
  try {
    const own = category ?? defaultCategory(properties.mime)!;
    const max = rules[ACCEPTED_FILES[own].bytes_max];
    const words = { category: own.toLowerCase(), max, bytes: file.bytes, raw: file.bytes };
    if (file.bytes > max) throw problem('MEDIA_TOO_LARGE', { parameter: 'media', words });
    const draft = await newUpload(call, own);
    const object_key = readyKey(draft.id, 'whole', secrets);
    const { place, bytes, sha256 } = copy ?? file;
    await objects.put(object_key, contentOfFile(place, bytes, sha256));
    const expires_at = addSeconds(call.now, rules.media_unused_ttl_s);
    const upload: Upload = { ...draft, ...properties, object_key, state: 'succeeded', bytes, expires_at };
    await storeNewUpload(call.services, upload);
    return upload;
  } finally {
    if (copy) await media.received.discard(copy);
  }
}

/** Problems of the multipart file. */
export const FILE_PROBLEMS: readonly ProblemName[] = ['FILE_MISSING', 'FILES_EXCLUSIVE'];

/** Problems of INIT. */
export const INITIALIZE_PROBLEMS: readonly ProblemName[] = [
  'MEDIA_TYPE_UNKNOWN',
  'MEDIA_CATEGORY_UNFIT',
  'MEDIA_TOO_LARGE',
];

/** Problems of APPEND. */
export const APPEND_PROBLEMS: readonly ProblemName[] = ['UPLOAD_UNKNOWN', 'UPLOAD_CLOSED', 'SEGMENTS_EXCEED'];

/** Problems of FINALIZE. */
export const FINALIZE_PROBLEMS: readonly ProblemName[] = ['UPLOAD_UNKNOWN', 'SEGMENTS_INCOMPLETE', 'MEDIA_INVALID'];

/** Problems of upload commands and one-call uploads. */
export const COMMAND_PROBLEMS: readonly ProblemName[] = [
  ...new Set<ProblemName>([
    ...FILE_PROBLEMS,
    ...INITIALIZE_PROBLEMS,
    ...APPEND_PROBLEMS,
    ...FINALIZE_PROBLEMS,
    'MISSING_PARAMETER',
  ]),
];
