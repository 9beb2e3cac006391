import { itemsOf } from '../../contract/declare/fields.ts';
import type { SettledAccount } from '../../contract/services/delivery.ts';
import { parseMediaKey } from '../../contract/services/media.ts';
import type { Post } from '../../contract/store/posts.ts';
import type { ReadTransaction } from '../../storage/unit-of-work.ts';
import { type AccountMedia, isPreroll } from '../ads/account-media.ts';
import { findCard } from '../ads/cards/find-card.ts';
import { mediaCreatives } from '../ads/media-creatives.ts';
import { promotedAccounts } from '../ads/promoted-accounts.ts';
import { promotedPosts } from '../ads/promoted-posts.ts';
import { rowsOf } from './booked-rows.ts';

/** The kinds of creatives that people engage with differently. */
export type CreativeKind =
  | 'text'
  | 'image'
  | 'video'
  | 'website_card'
  | 'app_card'
  | 'carousel'
  | 'poll'
  | 'conversation'
  | 'account'
  | 'preroll'
  | 'banner';

/** A creative of a line item: a promoted post, a promoted account or a media creative. */
export interface BookedCreative {
  readonly id: string;
  readonly of: 'promoted_post' | 'promoted_account' | 'media_creative';
  readonly entity_status: string;
  readonly approval_status: string;
  readonly kind: CreativeKind;
  readonly hasVideo: boolean;
  /** The id of its post, user or account media. */
  readonly shown_id: string;
  /** The author or promoted user, who is not shown while suspended; null for account media. @source decision 1084 */
  readonly author: { readonly id: string; readonly isSuspended: boolean } | null;
  /** The click target of account media; null for all others. */
  readonly landing_url: string | null;
}

type Content = Pick<BookedCreative, 'kind' | 'hasVideo'>;
/** The content and author of a post. */
type Contents = Content & { readonly user: string };

const UNKNOWN_POST = { kind: 'text', hasVideo: false, user: null } as const;

const POSTS_AT_ONCE = 500;

/** Reads the live creatives of some line items, or of the whole account, by line item and in order of id. */
export async function readCreatives(
  tx: ReadTransaction,
  account: SettledAccount,
  lines?: readonly string[],
): Promise<Map<string, BookedCreative[]>> {
  const within: Record<string, readonly string[]> = lines ? { line_item_id: lines } : {};
  const found = new Map<string, BookedCreative[]>();
  const add = (line: unknown, creative: BookedCreative): void => {
    const others = found.get(String(line)) ?? [];
    others.push(creative);
    found.set(String(line), others);
  };
  const statuses = (row: Readonly<Record<string, unknown>>) => ({
    entity_status: String(row.entity_status),
    approval_status: String(row.approval_status),
  });
  const posts = await rowsOf(tx, promotedPosts, account.id, within);
  const contents = await readContents(
    tx,
    account,
    posts.map((row) => String(row.post_id)),
  );
  const promoted = await rowsOf(tx, promotedAccounts, account.id, within);
  const users = [...[...contents.values()].map(({ user }) => user), ...promoted.map((row) => String(row.user_id))];
  const suspended = new Set(await tx.credentials.listSuspended([...new Set(users)]));
  const authorOf = (id: string): BookedCreative['author'] => ({ id, isSuspended: suspended.has(id) });
  for (const row of posts) {
    const { user, ...content } = contents.get(String(row.post_id)) ?? UNKNOWN_POST;
    const author = user === null ? null : authorOf(user);
    const shown = { shown_id: String(row.post_id), author, landing_url: null };
    add(row.line_item_id, { id: row.id, of: 'promoted_post', ...statuses(row), ...content, ...shown });
  }
  for (const row of promoted) {
    const user = String(row.user_id);
    const shown = { shown_id: user, author: authorOf(user), landing_url: null };
    const of = { of: 'promoted_account', kind: 'account', hasVideo: false } as const;
    add(row.line_item_id, { id: row.id, ...of, ...statuses(row), ...shown });
  }
  for (const row of await rowsOf(tx, mediaCreatives, account.id, within)) {
    const hasVideo = isPreroll({ creative_type: row.creative_type as AccountMedia['creative_type'] });
    const landing_url = row.landing_url as string | null;
    const shown = { shown_id: String(row.account_media_id), author: null, landing_url };
    const of = { of: 'media_creative', kind: hasVideo ? 'preroll' : 'banner', hasVideo } as const;
    add(row.line_item_id, { id: row.id, ...of, ...statuses(row), ...shown });
  }
  return found;
}

/** Reads the content of posts by id. */
async function readContents(
  tx: ReadTransaction,
  account: SettledAccount,
  ids: readonly string[],
): Promise<Map<string, Contents>> {
  const wanted = [...new Set(ids)];
  const posts: Post[] = [];
  for (let at = 0; at < wanted.length; at += POSTS_AT_ONCE) {
    posts.push(...(await tx.posts.list(account.environment, wanted.slice(at, at + POSTS_AT_ONCE))));
  }
  const originals = posts.flatMap(({ repost_of }) => (repost_of === null ? [] : [repost_of]));
  const missing = originals.filter((id) => !wanted.includes(id));
  const shown = new Map(posts.map((post) => [post.id, post]));
  if (missing.length > 0) {
    for (const post of await tx.posts.list(account.environment, missing)) shown.set(post.id, post);
  }
  const cards = new Map<string, Content>();
  const found = new Map<string, Contents>();
  for (const id of wanted) {
    const stored = shown.get(id);
    const post = stored?.repost_of ? (shown.get(stored.repost_of) ?? stored) : stored;
    if (!post) continue;
    if (post.card_uri === null) {
      found.set(id, { ...contentOfMedia(post), user: post.user_id });
      continue;
    }
    const key = `${post.account_id ?? account.id} ${post.card_uri}`;
    const content = cards.get(key) ?? (await contentOfCard(tx, post.account_id ?? account.id, post.card_uri));
    cards.set(key, content);
    found.set(id, { ...content, user: post.user_id });
  }
  return found;
}

function contentOfMedia({ media_keys }: Post): Content {
  const categories = itemsOf(media_keys).map((key) => parseMediaKey(key)?.category);
  const hasVideo = categories.some((each) => each === 'POST_VIDEO' || each === 'AMPLIFY_VIDEO' || each === 'POST_GIF');
  return { kind: hasVideo ? 'video' : categories.length > 0 ? 'image' : 'text', hasVideo };
}

async function contentOfCard(tx: ReadTransaction, account: string, uri: string): Promise<Content> {
  const card = await findCard(tx, account, uri, { deleted: 'shown' });
  if (!card) return { kind: 'text', hasVideo: false };
  const { format, hasVideo } = card;
  if (format === 'poll') return { kind: 'poll', hasVideo };
  if (format !== 'component') return { kind: 'conversation', hasVideo };
  if (card.card_type.includes('CAROUSEL')) return { kind: 'carousel', hasVideo };
  return { kind: card.hasApp ? 'app_card' : 'website_card', hasVideo };
}
