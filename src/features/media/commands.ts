import { oneOf } from '../../contract/declare/fields.ts';
import type { Call, Input, Parameters } from '../../contract/declare/operation.ts';
import type { ErrorDetail, ProblemName } from '../../contract/problems/problems.ts';
import type { Upload } from '../../contract/store/uploads.ts';
import { append } from './append.ts';
import { finalize } from './finalize.ts';
import { initialize } from './initialize.ts';
import { beginning, named, numbered } from './parameters.ts';
import type { Occasion } from './shown.ts';
import { uploadAtOnce } from './simple-upload.ts';

/** What a command came to. */
export interface Commanded {
  readonly upload: Upload;
  readonly did: 'began' | 'appended' | 'ended';
}

interface Command {
  readonly needs: readonly string[];
  readonly did: Commanded['did'];
  perform(call: Call): Promise<Upload>;
}

const idOf = ({ input }: Call): string => String(input.media_id);

const COMMANDS: Readonly<Record<'INIT' | 'APPEND' | 'FINALIZE', Command>> = {
  INIT: { needs: ['total_bytes', 'media_type'], did: 'began', perform: initialize },
  APPEND: { needs: ['media_id', 'segment_index'], did: 'appended', perform: (call) => append(call, idOf(call)) },
  FINALIZE: { needs: ['media_id'], did: 'ended', perform: (call) => finalize(call, idOf(call)) },
};

/** The parameters of all commands. */
export const commandParameters: Parameters = {
  command: oneOf('INIT', 'APPEND', 'FINALIZE').says('The step of the upload; without it, one image is sent at once.'),
  ...named,
  ...numbered,
  ...beginning,
};

/** What the command that was given lacks. */
export function missingOf(input: Input): ErrorDetail[] {
  const { needs } = commandOf(input) ?? { needs: [] };
  return needs
    .filter((name) => input[name] === undefined || input[name] === null)
    .map((parameter) => ({ problem: 'MISSING_PARAMETER', parameter }));
}

function commandOf({ command }: Input): Command | undefined {
  return command == null ? undefined : COMMANDS[command as keyof typeof COMMANDS];
}

/** Does what the command says. */
export async function perform(call: Call): Promise<Commanded> {
  const command = commandOf(call.input);
  if (!command) return { upload: await uploadAtOnce(call), did: 'ended' };
  return { upload: await command.perform(call), did: command.did };
}

/** When an upload is told of, by what was done. */
export const OCCASIONS: Readonly<Record<Commanded['did'], Occasion>> = {
  began: 'beginning',
  appended: 'status',
  ended: 'end',
};

/** What a file that is sent can be refused for. */
export const FILE_PROBLEMS: readonly ProblemName[] = ['FILE_MISSING', 'FILES_EXCLUSIVE'];

/** What can be wrong with the beginning of an upload. */
export const BEGINNING_PROBLEMS: readonly ProblemName[] = [
  'MEDIA_TYPE_UNKNOWN',
  'MEDIA_CATEGORY_UNFIT',
  'MEDIA_TOO_LARGE',
];

/** What can be wrong with a segment. */
export const SEGMENT_PROBLEMS: readonly ProblemName[] = ['UPLOAD_UNKNOWN', 'UPLOAD_CLOSED', 'SEGMENTS_EXCEED'];

/** What can be wrong with the end of an upload. */
export const END_PROBLEMS: readonly ProblemName[] = ['UPLOAD_UNKNOWN', 'SEGMENTS_INCOMPLETE', 'MEDIA_INVALID'];
