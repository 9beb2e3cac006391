import { oneOf } from '../../contract/declare/fields.ts';
import type { Call, Input, Parameters } from '../../contract/declare/operation.ts';
import type { ErrorDetail, ProblemName } from '../../contract/problems/problems.ts';
import type { Upload } from '../../contract/store/uploads.ts';
import { appendSegment } from './append-segment.ts';
import { finalizeUpload } from './finalize-upload.ts';
import { initializeUpload } from './initialize-upload.ts';
import { uploadImage } from './upload-image.ts';
import type { ReplyStage } from './upload-json.ts';
import { initializeParameters, mediaIdParameter, segmentParameter } from './upload-parameters.ts';

/** The result of an upload command. */
export interface CommandResult {
  readonly upload: Upload;
  readonly step: 'initialized' | 'appended' | 'finalized';
}

interface Command {
  readonly required: readonly string[];
  readonly step: CommandResult['step'];
  perform(call: Call): Promise<Upload>;
}

const idOf = ({ input }: Call): string => String(input.media_id);

const COMMANDS: Readonly<Record<'INIT' | 'APPEND' | 'FINALIZE', Command>> = {
  INIT: { required: ['total_bytes', 'media_type'], step: 'initialized', perform: initializeUpload },
  APPEND: {
    required: ['media_id', 'segment_index'],
    step: 'appended',
    perform: (call) => appendSegment(call, idOf(call)),
  },
  FINALIZE: { required: ['media_id'], step: 'finalized', perform: (call) => finalizeUpload(call, idOf(call)) },
};

/** The parameters of all upload commands. */
export const commandParameters: Parameters = {
  command: oneOf('INIT', 'APPEND', 'FINALIZE').describe(
    'Upload command; without it, the call uploads an image at once.',
  ),
  ...mediaIdParameter,
  ...segmentParameter,
  ...initializeParameters,
};

/** Errors for the missing parameters of a command. */
export function missingParameters(input: Input): ErrorDetail[] {
  const required = commandOf(input)?.required ?? [];
  return required
    .filter((name) => input[name] === undefined || input[name] === null)
    .map((parameter) => ({ problem: 'MISSING_PARAMETER', parameter }));
}

function commandOf({ command }: Input): Command | undefined {
  return command == null ? undefined : COMMANDS[command as keyof typeof COMMANDS];
}

/** Performs an upload command, or a one-call image upload without one. */
export async function performCommand(call: Call): Promise<CommandResult> {
  const command = commandOf(call.input);
  if (!command) return { upload: await uploadImage(call), step: 'finalized' };
  return { upload: await command.perform(call), step: command.step };
}

/** The stage of the reply to each command. */
export const REPLY_STAGES: Readonly<Record<CommandResult['step'], ReplyStage>> = {
  initialized: 'initialize',
  appended: 'status',
  finalized: 'finalize',
};

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
  ...new Set([
    ...FILE_PROBLEMS,
    ...INITIALIZE_PROBLEMS,
    ...APPEND_PROBLEMS,
    ...FINALIZE_PROBLEMS,
    'MISSING_PARAMETER' as const,
  ]),
];
