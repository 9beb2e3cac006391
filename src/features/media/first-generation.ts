import { oneOf } from '../../contract/declare/fields.ts';
import type { Operation } from '../../contract/declare/operation.ts';
import {
  BEGINNING_PROBLEMS,
  commandParameters,
  END_PROBLEMS,
  FILE_PROBLEMS,
  missingOf,
  OCCASIONS,
  perform,
  SEGMENT_PROBLEMS,
} from './commands.ts';
import { bytesMax, files, GROUP, GROUP_ABOUT } from './files.ts';
import { ownUpload } from './own-upload.ts';
import { named } from './parameters.ts';
import { firstSchema } from './reply-schemas.ts';
import { shownFirst } from './shown.ts';

const place = { path: '/1.1/media/upload', aliases: ['/1.1/media/upload.json'] } as const;

const STATUSES = { began: 202, appended: 204, ended: 200 } as const;

/** Uploads media: in segments by commands, or one image at once. @source creatives 2.1 */
export const uploadMedia: Operation = {
  id: 'media.upload',
  method: 'POST',
  ...place,
  about: 'Uploads media: INIT, APPEND as often as needed, FINALIZE; or one image at once, without a command.',
  group: GROUP,
  groupAbout: GROUP_ABOUT,
  family: 'flat',
  rate: 'media_uploads',
  parameters: commandParameters,
  body: 'upload',
  files,
  bytesMax,
  shape: 'bare',
  reply: firstSchema,
  successes: { 202: firstSchema, 204: undefined },
  problems: [
    ...new Set([
      ...FILE_PROBLEMS,
      ...BEGINNING_PROBLEMS,
      ...SEGMENT_PROBLEMS,
      ...END_PROBLEMS,
      'MISSING_PARAMETER' as const,
    ]),
  ],
  check: missingOf,
  async perform(call) {
    const { upload, did } = await perform(call);
    const data = did === 'appended' ? '' : shownFirst(upload, OCCASIONS[did], call.now);
    return { status: STATUSES[did], data };
  },
};

/** How far an upload is. @source creatives 2.1 */
export const uploadStatus: Operation = {
  id: 'media.upload_status',
  method: 'GET',
  ...place,
  about: 'How far an upload is.',
  group: GROUP,
  family: 'flat',
  rate: 'media_uploads',
  parameters: { command: oneOf('STATUS').required().says('Always STATUS.'), media_id: named.media_id!.required() },
  body: 'form',
  shape: 'bare',
  reply: firstSchema,
  problems: ['UPLOAD_UNKNOWN'],
  async perform(call) {
    const upload = await ownUpload(call, String(call.input.media_id), 'owner');
    return { data: shownFirst(upload, 'status', call.now) };
  },
};
