import { addressesIn } from '../../../base/entities.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { parseMediaKey } from '../../../contract/services/media.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { findCard } from '../cards/find-card.ts';
import type { LineItem } from '../line-items.ts';
import { mediaKeysOf, type PostContent } from './post-content.ts';

type PromotedContent = Awaited<ReturnType<typeof promotedContent>>;

/**
 * Requirements of objectives for promoted posts, with messages; other objectives accept any.
 * @source creatives 14; decision 243 and 244
 */
const REQUIREMENTS: Readonly<Record<string, readonly [why: string, holds: (post: PromotedContent) => boolean]>> = {
  APP_ENGAGEMENTS: ['it has no app card', ({ card }) => card?.hasApp === true],
  APP_INSTALLS: ['it has no app card', ({ card }) => card?.hasApp === true],
  VIDEO_VIEWS: ['it has no video', ({ card, hasVideo, hasGif }) => hasVideo || hasGif || card?.hasVideo === true],
  PREROLL_VIEWS: ['it has no video', ({ hasVideo }) => hasVideo],
  WEBSITE_CLICKS: [
    'it needs a website card or a link, and not both',
    ({ card, hasCard, hasLink }) => (card?.hasWebsite ? !hasLink : !hasCard || hasLink),
  ],
};

/** Returns the error of a published or scheduled post that does not fit the objective of a line item. */
export async function checkObjective(
  tx: ReadTransaction,
  line: Pick<LineItem, 'id' | 'account_id' | 'objective'>,
  post: PostContent & { readonly id: string; readonly account_id: string | null },
  parameter: string,
): Promise<ErrorDetail | undefined> {
  const need = REQUIREMENTS[String(line.objective)];
  if (!need || need[1](await promotedContent(tx, post.account_id ?? line.account_id, post))) return undefined;
  return { problem: 'POST_UNFIT', parameter, value: post.id, words: { line: line.id, why: need[0] } };
}

async function promotedContent(tx: ReadTransaction, account: string, post: PostContent) {
  const types = mediaKeysOf(post).map((key) => parseMediaKey(key)?.category);
  return {
    card: post.card_uri === null ? undefined : await findCard(tx, account, post.card_uri),
    hasCard: post.card_uri !== null,
    hasLink: addressesIn(post.text ?? '').length > 0,
    hasVideo: types.some((type) => type === 'POST_VIDEO' || type === 'AMPLIFY_VIDEO'),
    hasGif: types.includes('POST_GIF'),
  };
}
