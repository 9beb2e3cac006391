import { problemPath } from '../../../contract/problems/problem-details.ts';
import { DISCONNECTS, type DisconnectReason } from '../../../contract/services/streams.ts';

/**
 * The last line of a stream with its line end; undefined when the reason has no line. `base` is the URL of the server.
 * @source decision 370
 */
export function disconnectLine(reason: DisconnectReason, base: string): Buffer | undefined {
  const detail = DISCONNECTS[reason];
  if (detail === undefined) return undefined;
  const title = 'operational-disconnect';
  const error = { title, disconnect_type: reason, detail, type: base + problemPath(title) };
  return Buffer.from(`${JSON.stringify({ errors: [error] })}\r\n`);
}
