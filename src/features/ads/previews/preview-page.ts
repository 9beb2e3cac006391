import type { Clock } from '../../../base/clock.ts';
import { formatInstant } from '../../../base/instants.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import type { AccountState, Environment } from '../../../contract/declare/account-state.ts';
import type { Page, PageRequest, PageResponse } from '../../../contract/declare/pages.ts';
import type { MediaUrls } from '../../../contract/services/media.ts';
import type { ReadTransaction, Store } from '../../../storage/unit-of-work.ts';
import { readRenderContext } from '../posts/post-json.ts';
import { findVisiblePosts } from '../posts/post-view.ts';
import { renderCard, urlsOf } from './card-html.ts';
import { previewDocument } from './preview-document.ts';
import { openPreview, PREVIEW_PATH, type PreviewTarget } from './preview-url.ts';

/** The dependencies of the preview page. */
interface PreviewPageDependencies {
  readonly store: Store;
  readonly box: SecretBox;
  readonly clock: Clock;
  readonly media: MediaUrls;
  /** The response if the post does not exist or is not visible. */
  readonly notFound: () => PageResponse;
  /** The response if the visitor must log in before continuing to an address. */
  readonly redirectToLogin: (address: string) => PageResponse;
}

/**
 * The preview page of a post, which anybody with its sealed URL can embed. A draft preview that was sent to a user is
 * shown only to that user.
 * @source creatives 10 and 13.4
 */
export function previewPage(parts: PreviewPageDependencies): Page {
  return {
    path: PREVIEW_PATH,
    methods: ['GET'],
    isRateLimited: false,
    mayFollowLogin: { withQuery: /^data=[\w.-]{1,500}$/ },
    async answer(visit) {
      const sealed = visit.parameter('data') ?? '';
      const target = openPreview(parts.box, sealed);
      if (!target) return framed(parts.notFound());
      if (target.user !== undefined && !visit.user) {
        return parts.redirectToLogin(`${PREVIEW_PATH}?data=${encodeURIComponent(sealed)}`);
      }
      return answerPreview(parts, visit, target);
    },
  };
}

/** Lets any page embed the response, which has no scripts and no forms. @source decision 246 */
function framed(answer: PageResponse, media: readonly string[] = []): PageResponse {
  const loadsFrom = [...new Set(media.map((url) => new URL(url).origin))];
  return { ...answer, embedding: { loadsFrom } };
}

async function answerPreview(
  parts: PreviewPageDependencies,
  visit: PageRequest,
  target: PreviewTarget,
): Promise<PageResponse> {
  if (target.user !== undefined && target.user !== visit.user?.id) return framed(parts.notFound());
  const { environment, account, type, id } = target;
  return parts.store.read(async (tx) => {
    const [post] = (await accountExists(tx, environment, account))
      ? await findVisiblePosts(tx, { environment, account, type, ids: [id] })
      : [];
    if (!post) return framed(parts.notFound());
    const state: AccountState = { ...STATE, id: account, environment };
    const mediaContext = { tx, media: parts.media, account: state };
    const context = await readRenderContext(mediaContext, [post], { source: '', isTrimmed: false });
    const now = formatInstant(parts.clock.now());
    // The card belongs to the account that created the post, which may be another account of the same author.
    const home = { ...mediaContext, account: { ...state, id: post.account_id ?? account } };
    const card = await renderCard(home, post, now);
    const html = previewDocument(post, context, card?.html);
    return framed({ status: 200, html }, [...urlsOf(context.media), ...(card?.mediaUrls ?? [])]);
  });
}

const STATE = { approval_status: 'ACCEPTED', timezone: 'UTC', deleted: false, limits: {} } as const;

async function accountExists(tx: ReadTransaction, environment: Environment, account: string): Promise<boolean> {
  return (await tx.accountMembers.findLimits(account))?.environment === environment;
}
