import { oneOf } from '../../contract/declare/fields.ts';
import type { Operation } from '../../contract/declare/operation.ts';
import { findOwnUpload } from './own-upload.ts';
import {
  COMMAND_PROBLEMS,
  commandParameters,
  missingParameters,
  performCommand,
  REPLY_STAGES,
} from './upload-commands.ts';
import { UPLOAD_GROUP, UPLOAD_GROUP_DESCRIPTION, uploadBytesMax, uploadFiles } from './upload-files.ts';
import { uploadV1Json } from './upload-json.ts';
import { mediaIdParameter } from './upload-parameters.ts';
import { uploadV1Schema } from './upload-schemas.ts';

const place = { path: '/1.1/media/upload', aliases: ['/1.1/media/upload.json'] } as const;

const STATUSES = { initialized: 202, appended: 204, finalized: 200 } as const;

/** Uploads media: in segments by commands, or an image in one call. @source creatives 2.1 */
export const uploadMedia: Operation = {
  id: 'media.upload',
  method: 'POST',
  ...place,
  description:
    'Upload media with the commands INIT, APPEND (repeated) and FINALIZE; or an image in one call, without a command.',
  group: UPLOAD_GROUP,
  groupDescription: UPLOAD_GROUP_DESCRIPTION,
  family: 'flat',
  rate: 'media_uploads',
  parameters: commandParameters,
  body: 'upload',
  files: uploadFiles,
  bytesMax: uploadBytesMax,
  shape: 'bare',
  reply: uploadV1Schema,
  successes: { 202: uploadV1Schema, 204: undefined },
  problems: COMMAND_PROBLEMS,
  validate: missingParameters,
  async perform(call) {
    const { upload, step } = await performCommand(call);
    const data = step === 'appended' ? '' : uploadV1Json(upload, REPLY_STAGES[step], call.now);
    return { status: STATUSES[step], data };
  },
};

/** The processing status of an upload. @source creatives 2.1 */
export const uploadStatus: Operation = {
  id: 'media.upload_status',
  method: 'GET',
  ...place,
  description: 'Get the processing status of an upload.',
  group: UPLOAD_GROUP,
  family: 'flat',
  rate: 'media_uploads',
  parameters: {
    command: oneOf('STATUS').required().describe('Always STATUS.'),
    media_id: mediaIdParameter.media_id!.required(),
  },
  body: 'form',
  shape: 'bare',
  reply: uploadV1Schema,
  problems: ['UPLOAD_UNKNOWN'],
  async perform(call) {
    const upload = await findOwnUpload(call, String(call.input.media_id), 'owner');
    return { data: uploadV1Json(upload, 'status', call.now) };
  },
};
