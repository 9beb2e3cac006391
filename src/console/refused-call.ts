import type { PageCallReply } from '../contract/declare/pages.ts';

/** Thrown when a call that a page needs is refused; the page displays the reason instead of its content. */
export class RefusedCall extends Error {
  readonly refusal: Pick<PageCallReply, 'status' | 'refusals'>;

  constructor(refusal: RefusedCall['refusal']) {
    super(`a call of a page was refused with ${refusal.status}`);
    this.refusal = refusal;
  }
}

/** The body of a reply. @throws RefusedCall */
// biome-ignore lint/suspicious/noExplicitAny: each operation has its own shape
export function bodyOf(reply: PageCallReply): any {
  if (!reply.isDone) throw new RefusedCall(reply);
  return reply.reply;
}
