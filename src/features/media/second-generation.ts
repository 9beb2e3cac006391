import { instantMs } from '../../base/instants.ts';
import { boolean, oneOf } from '../../contract/declare/fields.ts';
import type { Operation } from '../../contract/declare/operation.ts';
import type { Upload } from '../../contract/store/uploads.ts';
import { append } from './append.ts';
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
import { bytesMax, files, GROUP } from './files.ts';
import { finalize } from './finalize.ts';
import { initialize } from './initialize.ts';
import { ownUpload } from './own-upload.ts';
import { beginning, named, numbered } from './parameters.ts';
import { appendedSchema, commandedSchema, secondSchema } from './reply-schemas.ts';
import { shownSecond } from './shown.ts';

const common = { group: GROUP, family: 'problem', rate: 'media_uploads', shape: 'bare' } as const;
const shared = { shared: boolean().says('Accepted; media is as shared as its owners make it.') };

function appended({ expires_at }: Upload): string {
  return JSON.stringify({ data: { expires_at: instantMs(expires_at!) / 1000 } });
}

const command: Operation = {
  ...common,
  id: 'media_v2.upload',
  method: 'POST',
  path: '/2/media/upload',
  about: 'Uploads media by commands, as the first generation does.',
  parameters: { ...commandParameters, ...shared },
  body: 'upload',
  files,
  bytesMax,
  reply: commandedSchema,
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
    return { data: did === 'appended' ? appended(upload) : shownSecond(upload, OCCASIONS[did], call.now) };
  },
};

const status: Operation = {
  ...common,
  id: 'media_v2.upload_status',
  method: 'GET',
  path: '/2/media/upload',
  about: 'How far an upload is.',
  parameters: { command: oneOf('STATUS').says('STATUS, or nothing.'), media_id: named.media_id!.required() },
  body: 'form',
  reply: secondSchema,
  problems: ['UPLOAD_UNKNOWN'],
  async perform(call) {
    const upload = await ownUpload(call, String(call.input.media_id), 'owner');
    return { data: shownSecond(upload, 'status', call.now) };
  },
};

const begin: Operation = {
  ...common,
  id: 'media_v2.initialize',
  method: 'POST',
  path: '/2/media/upload/initialize',
  about: 'Begins an upload.',
  parameters: {
    ...beginning,
    total_bytes: beginning.total_bytes!.required(),
    media_type: beginning.media_type!.required(),
    ...shared,
  },
  body: 'form',
  reply: secondSchema,
  problems: BEGINNING_PROBLEMS,
  perform: async (call) => ({ data: shownSecond(await initialize(call), 'beginning', call.now) }),
};

const send: Operation = {
  ...common,
  id: 'media_v2.append',
  method: 'POST',
  path: '/2/media/upload/:id/append',
  about: 'Sends a segment of an upload.',
  parameters: { segment_index: numbered.segment_index!.required() },
  body: 'upload',
  files,
  bytesMax,
  reply: appendedSchema,
  problems: [...FILE_PROBLEMS, ...SEGMENT_PROBLEMS],
  perform: async (call) => ({ data: appended(await append(call, call.path.id!)) }),
};

const end: Operation = {
  ...common,
  id: 'media_v2.finalize',
  method: 'POST',
  path: '/2/media/upload/:id/finalize',
  about: 'Ends the sending of an upload.',
  parameters: {},
  body: 'form',
  reply: secondSchema,
  problems: END_PROBLEMS,
  perform: async (call) => ({ data: shownSecond(await finalize(call, call.path.id!), 'end', call.now) }),
};

/** Uploads in the second generation. @source creatives 2.2 */
export const secondGeneration: readonly Operation[] = [command, status, begin, send, end];
