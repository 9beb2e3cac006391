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
  missingParameters,
  performCommand,
} from './upload-commands.ts';
import { uploadV2Json } from './upload-json.ts';
import {
  initializeParameters,
  mediaIdParameter,
  segmentParameter,
  UPLOAD_GROUP,
  uploadBytesMax,
  uploadFiles,
} from './upload-parameters.ts';
import { appendV2Schema, commandV2Schema, uploadV2Schema } from './upload-schemas.ts';

const common = { group: UPLOAD_GROUP, family: 'problem', rate: 'media_uploads', shape: 'bare' } as const;
const shared = { shared: boolean().describe('Accepted without effect; use `additional_owners` to share media.') };

function appended({ expires_at }: Upload): string {
  return JSON.stringify({ data: { expires_at: instantMs(expires_at!) / 1000 } });
}

const command: Operation = {
  ...common,
  id: 'media_v2.upload',
  method: 'POST',
  path: '/2/media/upload',
  description: 'Upload media by commands, as in version 1.1.',
  parameters: { ...commandParameters, ...shared },
  body: 'upload',
  files: uploadFiles,
  bytesMax: uploadBytesMax,
  reply: commandV2Schema,
  problems: COMMAND_PROBLEMS,
  validate: missingParameters,
  async perform(call) {
    const { upload, step } = await performCommand(call);
    return { data: step === 'append' ? appended(upload) : uploadV2Json(upload, step, call.now) };
  },
};

const status: Operation = {
  ...common,
  id: 'media_v2.upload_status',
  method: 'GET',
  path: '/2/media/upload',
  description: 'Get the processing status of an upload.',
  parameters: {
    command: oneOf('STATUS').describe('STATUS, or absent.'),
    media_id: mediaIdParameter.media_id!.required(),
  },
  body: 'form',
  reply: uploadV2Schema,
  problems: ['UPLOAD_UNKNOWN'],
  async perform(call) {
    const upload = await findOwnUpload(call, String(call.input.media_id), 'owner');
    return { data: uploadV2Json(upload, 'status', call.now) };
  },
};

const begin: Operation = {
  ...common,
  id: 'media_v2.initialize',
  method: 'POST',
  path: '/2/media/upload/initialize',
  description: 'Initialize an upload.',
  parameters: {
    ...initializeParameters,
    total_bytes: initializeParameters.total_bytes!.required(),
    media_type: initializeParameters.media_type!.required(),
    ...shared,
  },
  body: 'form',
  reply: uploadV2Schema,
  problems: INITIALIZE_PROBLEMS,
  perform: async (call) => ({ data: uploadV2Json(await initializeUpload(call), 'initialize', call.now) }),
};

const send: Operation = {
  ...common,
  id: 'media_v2.append',
  method: 'POST',
  path: '/2/media/upload/:id/append',
  description: 'Append a segment to an upload.',
  parameters: { segment_index: segmentParameter.segment_index!.required() },
  body: 'upload',
  files: uploadFiles,
  bytesMax: uploadBytesMax,
  reply: appendV2Schema,
  problems: [...FILE_PROBLEMS, ...APPEND_PROBLEMS],
  perform: async (call) => ({ data: appended(await appendSegment(call, call.path.id!)) }),
};

const end: Operation = {
  ...common,
  id: 'media_v2.finalize',
  method: 'POST',
  path: '/2/media/upload/:id/finalize',
  description: 'Finalize an upload.',
  parameters: {},
  body: 'form',
  reply: uploadV2Schema,
  problems: FINALIZE_PROBLEMS,
  perform: async (call) => ({ data: uploadV2Json(await finalizeUpload(call, call.path.id!), 'finalize', call.now) }),
};

/** Upload operations of version 2. @source creatives 2.2 */
export const uploadV2Operations: readonly Operation[] = [command, status, begin, send, end];
