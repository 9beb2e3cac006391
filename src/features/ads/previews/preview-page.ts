import type { Clock } from '../../../base/clock.ts';
import { formatInstant } from '../../../base/instants.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import type { Page, PageAnswer, Visit } from '../../../contract/declare/pages.ts';
import type { AccountState, Environment } from '../../../contract/declare/resource.ts';
import type { MediaUrls } from '../../../contract/services/media.ts';
import type { ReadTransaction, Store } from '../../../contract/store/store.ts';
import { readRenderContext } from '../posts/render-context.ts';
import { renderCard } from './card-html.ts';
import { findVisiblePosts } from './find-visible-posts.ts';
import { previewDocument } from './preview-document.ts';
import { openPreview, PREVIEW_PATH, type PreviewTarget } from './preview-url.ts';

/** What the page works with. */
export interface PreviewPageDependencies {
  readonly store: Store;
  readonly box: SecretBox;
  readonly clock: Clock;
  readonly media: MediaUrls;
  /** What is said where there is nothing to see. */
  readonly notFound: () => PageAnswer;
  /** What is said to somebody who must log in first to go on to an address. */
  readonly loginFirst: (address: string) => PageAnswer;
}

/**
 * A post as people see it, in a frame of whoever has its address. The address cannot be made up; a draft that was sent
 * to somebody is shown to nobody else.
 * @source creatives 10 and 13.4
 */
export function previewPage(parts: PreviewPageDependencies): Page {
  return {
    path: PREVIEW_PATH,
    methods: ['GET'],
    isLimited: false,
    async answer(visit) {
      const sealed = visit.parameter('data') ?? '';
      const asked = openPreview(parts.box, sealed);
      if (!asked) return framed(parts.notFound());
      if (asked.user !== undefined && !visit.user) {
        return parts.loginFirst(`${PREVIEW_PATH}?data=${encodeURIComponent(sealed)}`);
      }
      return answerPreview(parts, visit, asked);
    },
  };
}

/** Frames of any page may show it: it has nothing to click on that does anything. */
function framed(answer: PageAnswer, media: readonly string[] = []): PageAnswer {
  const loadsFrom = [...new Set(media.map((url) => new URL(url).origin))];
  return { ...answer, framed: { loadsFrom } };
}

async function answerPreview(parts: PreviewPageDependencies, visit: Visit, asked: PreviewTarget): Promise<PageAnswer> {
  if (asked.user !== undefined && asked.user !== visit.user?.id) return framed(parts.notFound());
  const { environment, account, type, id } = asked;
  return parts.store.read(async (tx) => {
    const [post] = (await accountExists(tx, environment, account))
      ? await findVisiblePosts(tx, { environment, account, type, ids: [id] })
      : [];
    if (!post) return framed(parts.notFound());
    const state: AccountState = { ...STATE, id: account, environment };
    const ground = { tx, media: parts.media, account: state };
    const scenery = await readRenderContext(ground, [post], { source: '', isTrimmed: false });
    const now = formatInstant(parts.clock.now());
    // The card is that of the account that posted, which may be another of the same author.
    const home = { ...ground, account: { ...state, id: post.account_id ?? account } };
    const card = post.card_uri === null ? undefined : await renderCard(home, post.card_uri, now);
    const html = previewDocument(post, scenery, card?.html);
    const media = [...scenery.media.values()].flatMap(({ url, poster_url }) =>
      poster_url ? [url, poster_url] : [url],
    );
    return framed({ status: 200, html }, [...media, ...(card?.mediaUrls ?? [])]);
  });
}

const STATE = { approval_status: 'ACCEPTED', timezone: 'UTC', deleted: false, limits: {} } as const;

async function accountExists(tx: ReadTransaction, environment: Environment, account: string): Promise<boolean> {
  return (await tx.accountMembers.findLimits(account))?.environment === environment;
}
