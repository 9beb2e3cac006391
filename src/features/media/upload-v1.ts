import { oneOf } from '../../contract/declare/fields.ts';
import type { Operation } from '../../contract/declare/operation.ts';
import { findOwnUpload } from './own-upload.ts';
import { COMMAND_PROBLEMS, commandParameters, missingParameters, performCommand } from './upload-commands.ts';
import { uploadV1Json } from './upload-json.ts';
import {
  mediaIdParameter,
  UPLOAD_GROUP,
  UPLOAD_GROUP_DESCRIPTION,
  uploadBytesMax,
  uploadFiles,
} from './upload-parameters.ts';
import { uploadV1Schema } from './upload-schemas.ts';

const place = { path: '/1.1/media/upload', aliases: ['/1.1/media/upload.json'] } as const;

const common = { group: UPLOAD_GROUP, family: 'flat', rate: 'media_uploads', shape: 'bare' } as const;

/** Uploads media: in segments by commands, or an image in one call. @source creatives 2.1 */
export const uploadMedia: Operation = {
  ...common,
  ...place,
  id: 'media.upload',
  method: 'POST',
  description:
    'Upload media with the commands INIT, APPEND (repeated) and FINALIZE; or an image in one call, without a command.',
  groupDescription: UPLOAD_GROUP_DESCRIPTION,
  parameters: commandParameters,
  body: 'upload',
  files: uploadFiles,
  bytesMax: uploadBytesMax,
  reply: uploadV1Schema,
  successes: { 202: uploadV1Schema, 204: undefined },
  problems: COMMAND_PROBLEMS,
  validate: missingParameters,
  async perform(call) {
    const { upload, step } = await performCommand(call);
    if (step === 'append') return { status: 204, data: '' };
    return { status: step === 'initialize' ? 202 : 200, data: uploadV1Json(upload, step, call.now) };
  },
};

/** The processing status of an upload. @source creatives 2.1 */
export const uploadStatus: Operation = {
  ...common,
  ...place,
  id: 'media.upload_status',
  method: 'GET',
  description: 'Get the processing status of an upload.',
  parameters: {
    command: oneOf('STATUS').required().describe('Always STATUS.'),
    media_id: mediaIdParameter.media_id!.required(),
  },
  body: 'form',
  reply: uploadV1Schema,
  problems: ['UPLOAD_UNKNOWN'],
  async perform(call) {
    const upload = await findOwnUpload(call, String(call.input.media_id), 'owner');
    return { data: uploadV1Json(upload, 'status', call.now) };
  },
};
