import { instantMs } from '../../base/instants.ts';
import { boolean, oneOf } from '../../contract/declare/fields.ts';
import type { Operation } from '../../contract/declare/operation.ts';
import type { Upload } from '../../contract/store/uploads.ts';
import { appendSegment } from './append-segment.ts';
import { finalizeUpload } from './finalize-upload.ts';
import { initializeUpload } from './initialize-upload.ts';
import { findOwnUpload } from './own-upload.ts';
import {
  APPEND_PROBLEMS,
  COMMAND_PROBLEMS,
  commandParameters,
  FILE_PROBLEMS,
  FINALIZE_PROBLEMS,
  INITIALIZE_PROBLEMS,
  initializeParameters,
  media_id,
  missingParameters,
  performCommand,
  segment_index,
  UPLOAD_GROUP_DESCRIPTION,
  uploadBytesMax,
  uploadFiles,
} from './upload-commands.ts';
import {
  appendV2Schema,
  commandV2Schema,
  uploadV1Json,
  uploadV1Schema,
  uploadV2Json,
  uploadV2Schema,
} from './upload-json.ts';

const common = { group: 'media_upload', rate: 'media_uploads', shape: 'bare' } as const;
const version1 = {
  ...common,
  family: 'flat',
  path: '/1.1/media/upload',
  aliases: ['/1.1/media/upload.json'],
  reply: uploadV1Schema,
} as const;
const version2 = { ...common, family: 'problem', path: '/2/media/upload', reply: uploadV2Schema } as const;

const post = { method: 'POST', body: 'form' } as const;
const postFile = { method: 'POST', body: 'upload', files: uploadFiles, bytesMax: uploadBytesMax } as const;
const commands = { ...postFile, problems: COMMAND_PROBLEMS, validate: missingParameters } as const;
const status = {
  method: 'GET',
  body: 'form',
  description: 'Get the processing status of an upload.',
  problems: ['UPLOAD_UNKNOWN'],
} as const;

/** Uploads media: in segments by commands, or an image in one call. @source creatives 2.1 */
export const uploadMedia: Operation = {
  ...version1,
  ...commands,
  id: 'media.upload',
  description:
    'Upload media with the commands INIT, APPEND (repeated) and FINALIZE; or an image in one call, without a command.',
  groupDescription: UPLOAD_GROUP_DESCRIPTION,
  parameters: commandParameters,
  successes: { 202: uploadV1Schema, 204: undefined },
  async perform(call) {
    const { upload, step } = await performCommand(call);
    if (step === 'append') return { status: 204, data: '' };
    return { status: step === 'initialize' ? 202 : 200, data: uploadV1Json(upload, step, call.now) };
  },
};

/** The processing status of an upload. @source creatives 2.1 */
export const uploadStatus: Operation = {
  ...version1,
  ...status,
  id: 'media.upload_status',
  parameters: { command: oneOf('STATUS').required().describe('Always STATUS.'), media_id: media_id.required() },
  async perform(call) {
    const upload = await findOwnUpload(call, String(call.input.media_id), 'owner');
    return { data: uploadV1Json(upload, 'status', call.now) };
  },
};

const shared = boolean().describe('Accepted without effect; use `additional_owners` to share media.');

/** Upload operations of version 2. @source creatives 2.2 */
export const uploadV2Operations: readonly Operation[] = [
  {
    ...version2,
    ...commands,
    id: 'media_v2.upload',
    description: 'Upload media by commands, as in version 1.1.',
    parameters: { ...commandParameters, shared },
    reply: commandV2Schema,
    async perform(call) {
      const { upload, step } = await performCommand(call);
      return { data: step === 'append' ? appendedJson(upload) : uploadV2Json(upload, step, call.now) };
    },
  },
  {
    ...version2,
    ...status,
    id: 'media_v2.upload_status',
    parameters: { command: oneOf('STATUS').describe('STATUS, or absent.'), media_id: media_id.required() },
    async perform(call) {
      const upload = await findOwnUpload(call, String(call.input.media_id), 'owner');
      return { data: uploadV2Json(upload, 'status', call.now) };
    },
  },
  {
    ...version2,
    ...post,
    id: 'media_v2.initialize',
    path: '/2/media/upload/initialize',
    description: 'Initialize an upload.',
    parameters: {
      ...initializeParameters,
      total_bytes: initializeParameters.total_bytes.required(),
      media_type: initializeParameters.media_type.required(),
      shared,
    },
    problems: INITIALIZE_PROBLEMS,
    perform: async (call) => ({ data: uploadV2Json(await initializeUpload(call), 'initialize', call.now) }),
  },
  {
    ...version2,
    ...postFile,
    id: 'media_v2.append',
    path: '/2/media/upload/:id/append',
    description: 'Append a segment to an upload.',
    parameters: { segment_index: segment_index.required() },
    reply: appendV2Schema,
    problems: [...FILE_PROBLEMS, ...APPEND_PROBLEMS],
    perform: async (call) => ({ data: appendedJson(await appendSegment(call, call.path.id!)) }),
  },
  {
    ...version2,
    ...post,
    id: 'media_v2.finalize',
    path: '/2/media/upload/:id/finalize',
    description: 'Finalize an upload.',
    parameters: {},
    problems: FINALIZE_PROBLEMS,
    perform: async (call) => ({ data: uploadV2Json(await finalizeUpload(call, call.path.id!), 'finalize', call.now) }),
  },
];

/** The reply to an appended segment: when the upload expires, in Unix seconds. */
function appendedJson({ expires_at }: Upload): string {
  return JSON.stringify({ data: { expires_at: instantMs(expires_at!) / 1000 } });
}
