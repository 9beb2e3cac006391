import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { devFilePath, ensureOperatorToken, readDevFile } from '../../dev/dev-folder.ts';
import { CommandFailed } from '../failure.ts';
import { sendStreaming } from '../send.ts';

/** A call of the surface for developers. */
export interface ToolCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/_dev`. */
  readonly path: `/${string}`;
  /** JSON value. */
  readonly body?: unknown;
}

/** Calls the tools of the development server of a data folder; resolves with the parsed reply. @throws CommandFailed */
export async function callTools(dataFolder: string, { method, path, body }: ToolCall): Promise<unknown> {
  const json = body === undefined ? undefined : JSON.stringify(body);
  return parseJson(await text(await sendCall(dataFolder, { method, path, json })));
}

/** Calls the tools with a tar archive, or for one; resolves with the unread reply. @throws CommandFailed */
export function exchangeFile(
  dataFolder: string,
  { method, path, content }: Omit<ToolCall, 'body'> & { readonly content?: Readable },
): Promise<IncomingMessage> {
  return sendCall(dataFolder, { method, path, tar: content });
}

async function sendCall(
  dataFolder: string,
  {
    path,
    json,
    ...call
  }: Omit<ToolCall, 'body'> & { readonly json?: string | undefined; readonly tar?: Readable | undefined },
): Promise<IncomingMessage> {
  const file = readDevFile(dataFolder);
  if (!file) {
    throw new CommandFailed(
      `${devFilePath(dataFolder)} does not exist; start barker dev, or give its folder with --data`,
    );
  }
  const url = new URL(`/_dev${path}`, file.base_url).href;
  const token = ensureOperatorToken(dataFolder);
  const reply = await sendStreaming({ ...call, url, form: undefined, json }, `Bearer ${token}`, file.tls_ca);
  if (reply.statusCode! < 400) return reply;
  const parsed = parseJson(await text(reply)) as { error?: { message?: string } } | undefined;
  throw new CommandFailed(parsed?.error?.message ?? `${reply.statusCode} ${reply.statusMessage} from ${url}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
