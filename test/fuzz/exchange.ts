import { connect, type Socket } from 'node:net';

/** What came back on a connection. */
export interface Got {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text: string;
}

/** How asking ended without a reply. */
export type Silence = 'hang' | 'closed';

/** A connection to a port, which is opened again when the other side closes it; one request at a time. */
export interface Line {
  ask(bytes: Uint8Array, how: { readonly method: string; readonly limit_ms: number }): Promise<Got | Silence>;
  end(): void;
}

/** A connection that is kept open for many requests. */
export function lineTo(port: number): Line {
  let socket: Socket | undefined;
  const opened = (): Socket => {
    if (socket && !socket.destroyed && socket.writable) return socket;
    socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    socket.on('error', () => {});
    return socket;
  };
  const once = async (bytes: Uint8Array, method: string, limit_ms: number): Promise<Got | Silence> => {
    const own = opened();
    const got = await reply(own, bytes, method, limit_ms);
    const isOver = typeof got === 'string' || headerOf(got, 'connection') === 'close' || isCut(got);
    if (isOver) own.destroy();
    return got;
  };
  return {
    async ask(bytes, { method, limit_ms }) {
      const isUsed = socket !== undefined && !socket.destroyed;
      const got = await once(bytes, method, limit_ms);
      // A connection that is kept may be closed by the other side at the moment of writing.
      return got === 'closed' && isUsed ? once(bytes, method, limit_ms) : got;
    },
    end: () => socket?.destroy(),
  };
}

/** A header of a reply. */
export function headerOf({ headers }: Got, wanted: string): string | undefined {
  return headers.find(([name]) => name === wanted)?.[1];
}

/** Whether a reply goes on: what follows its head is not read. */
function isCut(got: Got): boolean {
  return headerOf(got, 'transfer-encoding') === 'chunked' && got.status === 200 && got.text === '';
}

function reply(socket: Socket, bytes: Uint8Array, method: string, limit_ms: number): Promise<Got | Silence> {
  return new Promise((resolve) => {
    let received: Buffer[] = [];
    let size = 0;
    const finish = (result: Got | Silence): void => {
      clearTimeout(timer);
      socket.off('data', take).off('close', closed);
      resolve(result);
    };
    const timer = setTimeout(() => finish('hang'), limit_ms);
    const closed = (): void => finish(replyIn(Buffer.concat(received), method, true) ?? 'closed');
    const take = (chunk: Buffer): void => {
      received.push(chunk);
      size += chunk.length;
      const all = received.length === 1 ? chunk : Buffer.concat(received, size);
      received = [all];
      const got = replyIn(all, method, false);
      if (got) finish(got);
    };
    socket.on('data', take).on('close', closed);
    socket.write(bytes);
  });
}

/** The whole reply at the beginning of what was received; undefined while some of it is missing. */
export function replyIn(all: Buffer, method: string, isAll: boolean): Got | undefined {
  const end = all.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = all.toString('latin1', 0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1] ?? 0);
  if (status >= 100 && status < 200) return replyIn(all.subarray(end + 4), method, isAll);
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  const rest = all.subarray(end + 4);
  const told = (name: string): string | undefined => headers.find(([each]) => each === name)?.[1];
  if (method === 'HEAD' || status === 204 || status === 304) return { status, headers, text: '' };
  const length = told('content-length');
  if (length !== undefined) {
    return rest.length < Number(length) && !isAll ? undefined : { status, headers, text: rest.toString() };
  }
  const isStream = told('transfer-encoding') === 'chunked' && status === 200;
  return isStream || isAll ? { status, headers, text: isStream ? '' : rest.toString() } : undefined;
}
