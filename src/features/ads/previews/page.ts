import type { Clock } from '../../../base/clock.ts';
import { formatInstant } from '../../../base/instants.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import type { Page, PageAnswer, Visit } from '../../../contract/declare/pages.ts';
import type { AccountState, Environment } from '../../../contract/declare/resource.ts';
import type { MediaAddresses } from '../../../contract/services/media.ts';
import type { Reading, Store } from '../../../contract/store/store.ts';
import { sceneryOf } from '../posts/scenery.ts';
import { PREVIEW_PATH, type Previewed, readPreview } from './address.ts';
import { viewCard } from './card-view.ts';
import { previewDocument } from './document.ts';
import { findPosts } from './find.ts';

/** What the page works with. */
export interface PreviewParts {
  readonly store: Store;
  readonly box: SecretBox;
  readonly clock: Clock;
  readonly media: MediaAddresses;
  /** What is said where there is nothing to see. */
  readonly absent: () => PageAnswer;
  /** What is said to somebody who must log in first to go on to an address. */
  readonly loginFirst: (address: string) => PageAnswer;
}

/**
 * A post as people see it, in a frame of whoever has its address. The address cannot be made up; a draft that was sent
 * to somebody is shown to nobody else.
 * @source creatives 10 and 13.4
 */
export function previewPage(parts: PreviewParts): Page {
  return {
    path: PREVIEW_PATH,
    methods: ['GET'],
    isLimited: false,
    async answer(visit) {
      const sealed = visit.parameter('data') ?? '';
      const asked = readPreview(parts.box, sealed);
      if (!asked) return framed(parts.absent());
      if (asked.user !== undefined && !visit.user) {
        return parts.loginFirst(`${PREVIEW_PATH}?data=${encodeURIComponent(sealed)}`);
      }
      return shown(parts, visit, asked);
    },
  };
}

/** Frames of any page may show it: it has nothing to click on that does anything. */
function framed(answer: PageAnswer, media: readonly string[] = []): PageAnswer {
  const loadsFrom = [...new Set(media.map((url) => new URL(url).origin))];
  return { ...answer, framed: { loadsFrom } };
}

async function shown(parts: PreviewParts, visit: Visit, asked: Previewed): Promise<PageAnswer> {
  if (asked.user !== undefined && asked.user !== visit.user?.id) return framed(parts.absent());
  const { environment, account, type, id } = asked;
  return parts.store.read(async (tx) => {
    const [post] = (await isThere(tx, environment, account))
      ? await findPosts(tx, { environment, account, type, ids: [id] })
      : [];
    if (!post) return framed(parts.absent());
    const state: AccountState = { ...STATE, id: account, environment };
    const ground = { tx, media: parts.media, account: state };
    const scenery = await sceneryOf(ground, [post], { source: '', isTrimmed: false });
    const now = formatInstant(parts.clock.now());
    // The card is that of the account that posted, which may be another of the same author.
    const home = { ...ground, account: { ...state, id: post.account_id ?? account } };
    const card = post.card_uri === null ? undefined : await viewCard(home, post.card_uri, now);
    const html = previewDocument(post, scenery, card?.html);
    const media = [...scenery.media.values()].flatMap(({ url, poster_url }) =>
      poster_url ? [url, poster_url] : [url],
    );
    return framed({ status: 200, html }, [...media, ...(card?.loads ?? [])]);
  });
}

const STATE = { approval_status: 'ACCEPTED', timezone: 'UTC', deleted: false, limits: {} } as const;

async function isThere(tx: Reading, environment: Environment, account: string): Promise<boolean> {
  return (await tx.accountMembers.findLimits(account))?.environment === environment;
}
