import { createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { DevReply } from '../surface/call.ts';

/** Receives the body of a request in a file, which is removed after `work`. */
export async function receiveFile<T>(
  request: IncomingMessage,
  path: string,
  work: (path: string) => Promise<T>,
): Promise<T> {
  try {
    await pipeline(request, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
    return await work(path);
  } finally {
    await rm(path, { force: true });
  }
}

/** The reply with a file that `write` writes; nothing of it stays. */
export async function sendFile(path: string, name: string, write: (path: string) => Promise<void>): Promise<DevReply> {
  try {
    await write(path);
    const file = await open(path);
    const { size } = await file.stat();
    const send = (response: ServerResponse): void => {
      pipeline(file.createReadStream(), response).catch(() => undefined);
    };
    return new DevReply(200, send, {
      'content-type': 'application/x-tar',
      'content-length': String(size),
      'content-disposition': `attachment; filename="${name}"`,
    });
  } finally {
    // The open file can be read to its end.
    await rm(path, { force: true });
  }
}
