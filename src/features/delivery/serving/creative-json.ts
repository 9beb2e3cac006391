import { entitiesOf } from '../../../base/entities.ts';
import type { AccountState } from '../../../contract/declare/account-state.ts';
import type { Services } from '../../../contract/declare/operation.ts';
import type { Post } from '../../../contract/store/posts.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { accountMedia } from '../../ads/account-media.ts';
import { mediaReferences, parseStructure } from '../../ads/cards/card-structure.ts';
import { findCard, type ResolvedCard } from '../../ads/cards/find-card.ts';
import type { Card } from '../../ads/cards.ts';
import { findMediaDetails, type MediaContext, type MediaDetails } from '../../ads/media/usable-media.ts';
import { publishedView } from '../../ads/posts/post-view.ts';
import { previewUrl } from '../../ads/previews/preview-url.ts';
import type { BookedCreative } from '../booked-creatives.ts';
import type { Ad } from './ads.ts';
import type { ClickMetric } from './beacon.ts';

/** A creative as returned to publishers. */
export interface RenderedCreative {
  /** The creative in the reply. */
  readonly json: Readonly<Record<string, unknown>>;
  /** The click target; empty without one. */
  readonly target: string;
  /** Whether the target is only the preview of a post without links. */
  readonly isPreview?: boolean;
  readonly click: ClickMetric;
  /** The ids of its post, user and media. */
  readonly contents: readonly string[];
}

/** Dependencies of rendering. */
type RenderServices = Pick<Services, 'store' | 'media' | 'box' | 'pageUrl'>;

/** Renders a creative; undefined if its content is gone. */
export async function renderCreative(
  services: RenderServices,
  { account }: Pick<Ad, 'account'>,
  creative: BookedCreative,
): Promise<RenderedCreative | undefined> {
  return services.store.read(async (tx) => {
    const state: AccountState = { ...account, approval_status: 'ACCEPTED', deleted: false, limits: {} };
    const context: MediaContext = { tx, media: services.media.addresses, account: state };
    if (creative.of === 'promoted_post') return renderPost(services, context, creative.shown_id);
    if (creative.of === 'promoted_account') return renderAccount(tx, creative.shown_id);
    return renderMedia(context, creative);
  });
}

async function renderPost(
  { box, pageUrl }: RenderServices,
  context: MediaContext,
  id: string,
): Promise<RenderedCreative | undefined> {
  const { tx, account } = context;
  const stored = await tx.posts.find(account.environment, id);
  const post = stored?.repost_of ? await tx.posts.find(account.environment, stored.repost_of) : stored;
  if (!post) return undefined;
  const { id: account_id, environment } = account;
  const view = publishedView(post);
  const card =
    view.card_uri === null
      ? undefined
      : await findCard(tx, view.account_id ?? account_id, view.card_uri, { deleted: 'shown' });
  const structure = card?.format === 'component' ? parseStructure(card.row as Card) : undefined;
  const cardKeys = structure ? mediaReferences(structure).map(({ key }) => key) : [];
  const media = await findMediaDetails(context, [...view.media_keys, ...cardKeys]);
  const shown = (keys: readonly string[]) =>
    keys
      .map((key) => media.get(key))
      .filter((each) => each !== undefined)
      .map(mediaJson);
  const components = structure?.components ?? structure?.slides?.flat() ?? [];
  const destination = components.map((each) => each.destination?.url).find((url) => url !== undefined);
  const link = entitiesOf(view.text).find(({ kind }) => kind === 'url')?.text;
  const target = [destination, link].map(landingUrl).find((url) => url !== '');
  const path = previewUrl(box, { type: 'PUBLISHED', environment, account: account_id, id: post.id });
  const preview_url = pageUrl(environment, path);
  return {
    target: target ?? preview_url,
    isPreview: target === undefined,
    contents: [post.id, ...media.keys()],
    click: target === undefined ? 'none' : card?.hasApp ? 'app_clicks' : 'url_clicks',
    json: {
      type: 'post',
      id: post.id,
      text: view.text,
      language: view.lang ?? null,
      created_at: view.created_at,
      author: await authorJson(tx, post),
      media: shown(view.media_keys),
      card: card ? cardJson(card, components.find(({ title }) => title !== undefined)?.title, shown(cardKeys)) : null,
      preview_url,
    },
  };
}

function cardJson({ card_type }: ResolvedCard, title: string | undefined, media: readonly unknown[]) {
  return { type: card_type, title: title ?? null, media };
}

async function authorJson(tx: ReadTransaction, { user_id: id }: Pick<Post, 'user_id'>) {
  const user = await tx.credentials.findUser(id);
  return { id, name: user?.name ?? id, screen_name: user?.screen_name ?? '' };
}

async function renderAccount(tx: ReadTransaction, id: string): Promise<RenderedCreative | undefined> {
  const user = await tx.credentials.findUser(id);
  if (!user) return undefined;
  const target = landingUrl(user.url);
  const about = { id, name: user.name, screen_name: user.screen_name, description: user.description ?? null };
  return { target, contents: [id], click: 'none', json: { type: 'account', user: about } };
}

async function renderMedia(
  context: MediaContext,
  { shown_id: id, landing_url, kind }: BookedCreative,
): Promise<RenderedCreative | undefined> {
  // Media creatives outlive their deleted account media. @source creatives 4
  const row = await context.tx.records.get(accountMedia, { account: context.account.id, id }, { deleted: 'shown' });
  const key = row?.media_key;
  const media = key ? (await findMediaDetails(context, [key])).get(key) : undefined;
  if (!media) return undefined;
  const target = landingUrl(landing_url);
  return {
    target,
    contents: [key!],
    click: 'url_clicks',
    json: { type: kind === 'preroll' ? 'video' : 'banner', media: mediaJson(media) },
  };
}

function mediaJson({ type, url, poster_url, width, height, duration_ms }: MediaDetails) {
  return { type, url, poster_url, width, height, duration_ms };
}

/**
 * Returns a URL that is safe for redirects, unchanged except that characters not allowed in headers are encoded; empty if
 * it is unsafe.
 */
export function landingUrl(url: string | null | undefined): string {
  if (!url || !/^https?:\/\/[^\s\\]+$/i.test(url) || !URL.canParse(url)) return '';
  const { username, password, host } = new URL(url);
  if (username !== '' || password !== '') return '';
  const [, scheme, name, rest] = /^(https?:\/\/)([^/?#]*)(.*)$/is.exec(url)!;
  const isPlain = (text: string): boolean => /^[\x21-\x7e]*$/.test(text);
  return `${scheme}${isPlain(name!) ? name : host}${rest!.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent)}`;
}
