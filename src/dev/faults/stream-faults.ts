import type { ServerResponse } from 'node:http';
import { closeAfterwards, resetConnection } from './reply-faults.ts';
import type { FaultActions } from './rule.ts';

/** What is done to a stream. */
type StreamFaults = Pick<FaultActions, 'stall' | 'drop_mid_object' | 'no_heartbeat' | 'reset' | 'close'>;

/** Events end with these bytes; a heartbeat is nothing else. */
const LINE_END = Buffer.from('\r\n');

/** Puts the faults of a stream between those who write it and the connection. Nothing has been sent yet. */
export function applyToStream(faults: StreamFaults, response: ServerResponse): void {
  const { stall, drop_mid_object, no_heartbeat, reset, close } = faults;
  if (reset) {
    resetConnection(response);
    return;
  }
  const write = response.write.bind(response);
  let events = 0;
  let bytes = 0;
  let isSilent = false;
  let hasBegun = false;
  const sendLine = (line: Buffer): void => {
    if (isSilent) return;
    const isHeartbeat = line.length === LINE_END.length;
    // The first one carries the head.
    if (isHeartbeat && no_heartbeat && hasBegun) return;
    hasBegun = true;
    if (close && bytes + line.length > close.after_bytes) {
      write(line.subarray(0, close.after_bytes - bytes));
      end();
      return;
    }
    if (!isHeartbeat && drop_mid_object && events >= drop_mid_object.after_events) {
      write(line.subarray(0, Math.ceil(line.length / 2)));
      end();
      return;
    }
    if (!isHeartbeat) events += 1;
    bytes += line.length;
    write(line);
    if (stall && events >= stall.after_events) isSilent = true;
  };
  const end = (): void => {
    isSilent = true;
    closeAfterwards(response);
  };
  response.write = ((chunk: Uint8Array): boolean => {
    for (const line of linesOf(Buffer.from(chunk))) sendLine(line);
    return true;
  }) as typeof response.write;
}

/** The lines of a chunk, each with its end. */
function linesOf(chunk: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let from = 0;
  while (from < chunk.length) {
    const found = chunk.indexOf(LINE_END, from);
    const to = found < 0 ? chunk.length : found + LINE_END.length;
    lines.push(chunk.subarray(from, to));
    from = to;
  }
  return lines;
}
