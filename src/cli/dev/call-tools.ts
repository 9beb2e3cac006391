import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { devFilePath, ensureOperatorToken, readDevFile } from '../../dev/dev-folder.ts';
import type { OutgoingRequest } from '../connection-profile.ts';
import { CommandFailed } from '../failure.ts';
import { sendStreaming } from '../send.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Declares the commands of a developer tool, each with the option for the data folder and an example. */
export function toolCommands(command: Command, tool: string, defaultName: string) {
  return (name: string, about: string, example = name): Command =>
    withDataFolder(command.command(name, { isDefault: name === defaultName }).description(about)).addHelpText(
      'after',
      `\nExample:\n  barker dev ${tool} ${example}`,
    );
}

/** Adds the option for the data folder of the server. */
export function withDataFolder(command: Command): Command {
  const folder = process.env.BARKER_DATA_FOLDER || './data';
  return command.option('--data <folder>', 'Data folder of the development server', folder);
}

/**
 * Calls the developer tools of the server of the data folder, and returns the parsed reply.
 * @param path below `/_dev`.
 * @param body JSON value.
 * @throws CommandFailed
 */
export async function callTools<T = unknown>(
  command: Command,
  method: Method,
  path: `/${string}`,
  body?: unknown,
): Promise<T> {
  const json = body === undefined ? undefined : JSON.stringify(body);
  return parseJson(await text(await sendCall(command, method, path, { json }))) as T;
}

/** Sends or requests a tar archive; resolves with the unread reply. @throws CommandFailed */
export function exchangeFile(
  command: Command,
  method: Method,
  path: `/${string}`,
  tar?: Readable,
): Promise<IncomingMessage> {
  return sendCall(command, method, path, { json: undefined, tar });
}

async function sendCall(
  command: Command,
  method: Method,
  path: string,
  content: Pick<OutgoingRequest, 'json' | 'tar'>,
): Promise<IncomingMessage> {
  const { data } = command.opts<{ data: string }>();
  const file = readDevFile(data);
  if (!file) {
    throw new CommandFailed(`${devFilePath(data)} does not exist; start barker dev, or give its folder with --data`);
  }
  const url = new URL(`/_dev${path}`, file.base_url).href;
  const authorization = `Bearer ${ensureOperatorToken(data)}`;
  const reply = await sendStreaming({ method, url, form: undefined, ...content }, authorization, file.tls_ca);
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
