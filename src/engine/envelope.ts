import type { Answer, Operation } from '../contract/declare/operation.ts';

/**
 * The envelope of an answer: the echo of the request beside the data, as its shape wants it.
 * @source advertising: Response envelope
 */
export function envelope(operation: Operation, answer: Answer, params: string): string {
  if (operation.shape === 'bare' || operation.shape === 'form' || operation.shape === 'stream') return answer.data;
  const request = answer.request ?? `{"params":${params}}`;
  if (operation.shape === 'message') return `{"request":${request},"message":${answer.data}}`;
  if (operation.shape !== 'list') return `{"request":${request},"data":${answer.data}}`;
  const next = answer.nextCursor == null ? 'null' : `"${answer.nextCursor}"`;
  const total = answer.totalCount === undefined ? '' : `,"total_count":${answer.totalCount}`;
  return `{"request":${request},"next_cursor":${next}${total},"data":${answer.data}}`;
}
