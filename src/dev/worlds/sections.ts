import type { Field } from '../../contract/declare/fields.ts';
import type { Operation, Parameters } from '../../contract/declare/operation.ts';

/** A member of a world file that names another entry of it. */
export interface Reference {
  /** The sections in which it may be: `users`, or sections of the account. */
  readonly to: readonly string[];
  /** The parameter of the operation that gets its id. */
  readonly parameter: string;
  /** The member of the entry's reply that stands for it; `id` by default. */
  readonly takes?: 'id' | 'id_str' | 'card_uri' | 'media_key';
  /** Whether several can be named. */
  readonly isList?: boolean;
  /** Whether the parameter itself can be given instead. */
  readonly isOptional?: boolean;
}

/** A member of a world file with entries that an operation creates. */
export interface Section {
  readonly name: string;
  readonly about: string;
  /** `map`: entries with names. `list`: entries without. `names`: a list of references, and nothing else. */
  readonly form: 'map' | 'list' | 'names';
  /** The id of the operation. */
  readonly creates: string;
  /** Its parameter with the id of the entry around it. */
  readonly within?: string;
  readonly references: Readonly<Record<string, Reference>>;
  /** Parameters that a world does not have. */
  readonly hides?: readonly string[];
  /** Members within the values that name media, and what they stand for. */
  readonly namesMedia?: boolean;
  /** Members beside those of the operation. */
  readonly extras?: readonly ('file' | 'picture' | 'people')[];
  readonly sections?: readonly Section[];
}

const author: Reference = { to: ['users'], parameter: 'as_user_id' };
const card: Reference = {
  to: ['cards', 'poll_cards', 'image_conversation_cards', 'video_conversation_cards'],
  ...{ parameter: 'card_uri', takes: 'card_uri' },
};
const media: Reference = { to: ['media'], parameter: 'media_key', takes: 'media_key', isOptional: true };
const medias: Reference = { ...media, parameter: 'media_keys', isList: true };
const ofPosts = { author, card, media: medias };
const tag: Reference = { to: ['web_event_tags'], parameter: 'primary_web_event_tag', isOptional: true };
const within = 'line_item_id';

/** The sections of a line item. */
const LINE_ITEM_SECTIONS: readonly Section[] = [
  {
    ...{ name: 'targeting', form: 'list', creates: 'targeting_criteria.create', within },
    about: 'Whom the ads are shown to.',
    references: { audience: { to: ['custom_audiences'], parameter: 'targeting_value', isOptional: true } },
  },
  {
    ...{ name: 'tracking_tags', form: 'list', creates: 'tracking_tags.create', within, references: {} },
    about: 'Addresses that are called when an ad is seen or clicked.',
  },
  {
    ...{ name: 'promoted_posts', form: 'names', creates: 'promoted_posts.create', within },
    about: 'The posts that are shown as ads.',
    references: { post: { to: ['posts'], parameter: 'post_ids', takes: 'id_str' } },
  },
  {
    ...{ name: 'promoted_accounts', form: 'names', creates: 'promoted_accounts.create', within },
    about: 'The users who are shown as ads.',
    references: { user: { to: ['users'], parameter: 'user_id' } },
  },
  {
    ...{ name: 'scheduled_promoted_posts', form: 'names', creates: 'scheduled_promoted_posts.create', within },
    about: 'The scheduled posts that are shown as ads once they are published.',
    references: { post: { to: ['scheduled_posts'], parameter: 'scheduled_post_id' } },
  },
  {
    ...{ name: 'curated_categories', form: 'list', creates: 'line_item_curated_categories.create', within },
    about: 'The publishers next to whose videos the ads are shown.',
    references: {},
  },
  {
    ...{ name: 'preroll_call_to_actions', form: 'list', creates: 'preroll_call_to_actions.create', within },
    about: 'The button below pre-roll videos.',
    references: {},
  },
];

/** The sections of an account that operations create, in the order in which they are created. */
export const ACCOUNT_SECTIONS: readonly Section[] = [
  {
    ...{ name: 'media', form: 'map', creates: 'media_library.create', references: {} },
    about: 'Images and GIFs: files beside this one, or grey pictures of a size.',
    hides: ['media_key', 'media_category', 'poster_media_key'],
    extras: ['file', 'picture'],
  },
  {
    ...{ name: 'custom_audiences', form: 'map', creates: 'custom_audiences.create', references: {} },
    about: 'Audiences of people, who are uploaded hashed.',
    extras: ['people'],
  },
  {
    ...{ name: 'do_not_reach_lists', form: 'map', creates: 'do_not_reach_lists.create', references: {} },
    about: 'Lists of people who are shown no ads.',
    extras: ['people'],
  },
  {
    ...{ name: 'cards', form: 'map', creates: 'cards.create', references: {}, namesMedia: true },
    about: 'Cards that posts show below their text. Their components name media as media.',
  },
  {
    ...{ name: 'poll_cards', form: 'map', creates: 'poll_cards.create', references: { media } },
    about: 'Polls below a post.',
  },
  {
    ...{ name: 'image_conversation_cards', form: 'map', creates: 'image_conversation_cards.create' },
    about: 'Images with buttons that propose posts.',
    references: { media },
  },
  {
    ...{ name: 'video_conversation_cards', form: 'map', creates: 'video_conversation_cards.create' },
    about: 'Videos with buttons that propose posts.',
    references: { media },
  },
  {
    ...{ name: 'posts', form: 'map', creates: 'posts.create', references: ofPosts },
    about: 'Published posts: promoted-only, unless nullcast is false.',
    hides: ['trim_user', 'post_mode'],
  },
  {
    ...{ name: 'draft_posts', form: 'map', creates: 'draft_posts.create', references: ofPosts },
    about: 'Posts that are not published yet.',
  },
  {
    ...{ name: 'scheduled_posts', form: 'map', creates: 'scheduled_posts.create', references: ofPosts },
    about: 'Posts that are published later.',
  },
  {
    ...{ name: 'web_event_tags', form: 'map', creates: 'web_event_tags.create', references: {} },
    about: 'Events on a website that count as conversions.',
  },
  {
    ...{ name: 'campaigns', form: 'map', creates: 'campaigns.create' },
    about: 'Campaigns with their line items.',
    references: { funding: { to: ['funding'], parameter: 'funding_instrument_id' } },
    sections: [
      {
        ...{ name: 'line_items', form: 'map', creates: 'line_items.create', within: 'campaign_id' },
        references: { web_event_tag: tag },
        about: 'Line items: objective, placements, bid, budget, flight and targeting.',
        sections: LINE_ITEM_SECTIONS,
      },
    ],
  },
];

/** The members of an entry that are parameters of its operation. */
export function fieldsOf({ creates, within, references, hides = [] }: Section, operations: Operations): Parameters {
  const named = Object.values(references).flatMap(({ parameter, isOptional }) => (isOptional ? [] : [parameter]));
  const all = Object.entries(operations.get(creates)!.parameters);
  return Object.fromEntries(
    all.filter(
      ([name, { writable }]: [string, Field]) =>
        (writable === 'input' || writable === 'create') && ![within, ...named, ...hides].includes(name),
    ),
  );
}

/** The operations of the catalog, by id. */
export type Operations = ReadonlyMap<string, Operation>;
