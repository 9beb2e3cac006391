import type { Answer, Operation } from '../contract/declare/operation.ts';

/**
 * The envelope of a reply: the echo of the request and the data, in the form that its shape requires.
 * @source advertising 1; decision 581
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
