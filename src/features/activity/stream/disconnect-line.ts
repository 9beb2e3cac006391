import { problemPath } from '../../../contract/problems/problem-details.ts';
import { DISCONNECTS, type DisconnectReason } from '../../../contract/services/streams.ts';

/** The last line of a stream, with its end of line; undefined where nothing is said. `base` is the address of the service. */
export function disconnectLine(reason: DisconnectReason, base: string): Buffer | undefined {
  const detail = DISCONNECTS[reason];
  if (detail === undefined) return undefined;
  const title = 'operational-disconnect';
  const said = { title, disconnect_type: reason, detail, type: base + problemPath(title) };
  return Buffer.from(`${JSON.stringify({ errors: [said] })}\r\n`);
}
