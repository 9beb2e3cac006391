import { boolean, type Field, listOf, oneOf, text } from '../../contract/declare/fields.ts';
import type { Operation, Parameters } from '../../contract/declare/operation.ts';
import { ROLES } from '../../contract/declare/roles.ts';
import { ACCESS_LEVELS, VERIFIED_TYPES } from '../../contract/store/credentials.ts';

/** A member of a world file that names another entry of it. */
interface Reference {
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
  parameter: 'card_uri',
  takes: 'card_uri',
};
const media: Reference = { to: ['media'], parameter: 'media_key', takes: 'media_key', isOptional: true };
const medias: Reference = { ...media, parameter: 'media_keys', isList: true };
const ofPosts = { author, card, media: medias };
const tag: Reference = { to: ['web_event_tags'], parameter: 'primary_web_event_tag', isOptional: true };
const within = 'line_item_id';

const section = (
  form: Section['form'],
  name: string,
  about: string,
  more: Partial<Omit<Section, 'form' | 'name' | 'about'>> = {},
): Section => ({ name, about, form, creates: `${name}.create`, references: {}, ...more });

/** The sections of a line item. */
const LINE_ITEM_SECTIONS: readonly Section[] = [
  section('list', 'targeting', 'Whom the ads are shown to.', {
    within,
    references: { audience: { to: ['custom_audiences'], parameter: 'targeting_value', isOptional: true } },
    creates: 'targeting_criteria.create',
  }),
  section('list', 'tracking_tags', 'Addresses that are called when an ad is seen or clicked.', { within }),
  section('names', 'promoted_posts', 'The posts that are shown as ads.', {
    within,
    references: { post: { to: ['posts'], parameter: 'post_ids', takes: 'id_str' } },
  }),
  section('names', 'promoted_accounts', 'The users who are shown as ads.', {
    within,
    references: { user: { to: ['users'], parameter: 'user_id' } },
  }),
  section('names', 'scheduled_promoted_posts', 'The scheduled posts that are shown as ads once they are published.', {
    within,
    references: { post: { to: ['scheduled_posts'], parameter: 'scheduled_post_id' } },
  }),
  section('list', 'curated_categories', 'The publishers next to whose videos the ads are shown.', {
    within,
    creates: 'line_item_curated_categories.create',
  }),
  section('list', 'preroll_call_to_actions', 'The button below pre-roll videos.', { within }),
];

/** The sections of an account that operations create, in the order in which they are created. */
export const ACCOUNT_SECTIONS: readonly Section[] = [
  section('map', 'media', 'Images and GIFs: files beside this one, or grey pictures of a size.', {
    hides: ['media_key', 'media_category', 'poster_media_key'],
    extras: ['file', 'picture'],
    creates: 'media_library.create',
  }),
  section('map', 'custom_audiences', 'Audiences of people, who are uploaded hashed.', { extras: ['people'] }),
  section('map', 'do_not_reach_lists', 'Lists of people who are shown no ads.', { extras: ['people'] }),
  section('map', 'cards', 'Cards that posts show below their text. Their components name media as media.', {
    namesMedia: true,
  }),
  section('map', 'poll_cards', 'Polls below a post.', { references: { media } }),
  section('map', 'image_conversation_cards', 'Images with buttons that propose posts.', { references: { media } }),
  section('map', 'video_conversation_cards', 'Videos with buttons that propose posts.', { references: { media } }),
  section('map', 'posts', 'Published posts: promoted-only, unless nullcast is false.', {
    references: ofPosts,
    hides: ['trim_user', 'post_mode'],
  }),
  section('map', 'draft_posts', 'Posts that are not published yet.', { references: ofPosts }),
  section('map', 'scheduled_posts', 'Posts that are published later.', { references: ofPosts }),
  section('map', 'web_event_tags', 'Events on a website that count as conversions.'),
  section('map', 'campaigns', 'Campaigns with their line items.', {
    references: { funding: { to: ['funding'], parameter: 'funding_instrument_id' } },
    sections: [
      section('map', 'line_items', 'Line items: objective, placements, bid, budget, flight and targeting.', {
        within: 'campaign_id',
        references: { web_event_tag: tag },
        sections: LINE_ITEM_SECTIONS,
      }),
    ],
  }),
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

// Fields of entries that no operation creates: users, applications, tokens and roles. Their rules are those of the commands
// and pages.

/** The members of a user. */
export const USER_FIELDS: Parameters = {
  name: text({ max: 50 }).describe('Display name; the user name by default.'),
  username: text({ max: 15 }).describe('What the user logs in with; the name of the entry by default.'),
  password: text({ max: 200 }).describe('Password; generated by default.'),
  email: text({ max: 254 }).describe('E-mail address.'),
  description: text({ max: 160 }).describe('What the user says about themselves.'),
  location: text({ max: 30 }).describe('Location.'),
  url: text({ max: 100 }).describe('Web site.'),
  verified_type: oneOf(...VERIFIED_TYPES).describe('Badge.'),
};

/** The members of an application. */
export const APPLICATION_FIELDS: Parameters = {
  name: text({ max: 32 }).describe('Name, which no other application has; the name of the entry by default.'),
  access_level: oneOf(...ACCESS_LEVELS)
    .defaults('read-write')
    .describe('What the application may do.'),
  description: text({ max: 200 }).describe('Description for users.'),
  website_url: text({ max: 2048 }).describe('Web site.'),
  callbacks: listOf(text({ max: 2048 }), { max: 10 }).describe('Callback URLs of the login.'),
  organization_name: text({ max: 100 }).describe('Publisher.'),
  organization_url: text({ max: 2048 }).describe('Web site of the publisher.'),
  terms_url: text({ max: 2048 }).describe('Terms of service.'),
  privacy_url: text({ max: 2048 }).describe('Privacy policy.'),
  native: boolean().describe('Whether it has no web address of its own.'),
  sign_in: boolean().defaults(1).describe('Whether users who authorized it once are not asked again.'),
  extra_query: boolean().defaults(1).describe('Whether callbacks without a query string also match with one.'),
  email_access: boolean().describe('Whether it asks for e-mail addresses.'),
  consumer_key: text({ max: 64 }).describe('Consumer key; generated by default.'),
  consumer_secret: text({ max: 128 }).describe('Consumer secret; generated by default.'),
};

/** The members of an access token. */
export const TOKEN_FIELDS: Parameters = {
  access_level: oneOf(...ACCESS_LEVELS).describe('What the token allows; the level of the application by default.'),
  access_token: text({ max: 128 }).describe('Access token; generated by default.'),
  access_token_secret: text({ max: 128 }).describe('Its secret; generated by default.'),
};

/** The members of the role of a user on an account. */
export const ROLE_FIELDS: Parameters = {
  role: oneOf(...ROLES)
    .required()
    .describe('Role.'),
  post_composer: boolean().describe('Whether the user may write promoted-only posts; true for administrators.'),
};
