import type { PageCallReply } from '../contract/declare/pages.ts';

/** A call that a page cannot do without was refused: the page says why in place of its content. */
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

/** The data of what a call asks for by its id; undefined when it does not exist for the user. @throws RefusedCall */
// biome-ignore lint/suspicious/noExplicitAny: each operation has its own shape
export function foundIn(reply: PageCallReply): any {
  return reply.status === 403 || reply.status === 404 ? undefined : bodyOf(reply).data;
}
