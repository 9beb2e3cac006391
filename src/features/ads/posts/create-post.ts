import { boolean, itemsOf, oneOf, type StoredValue, text } from '../../../contract/declare/fields.ts';
import type { AccountCall, AccountOperation, Input } from '../../../contract/declare/operation.ts';
import { LONG_IDS_FROM } from '../../../contract/declare/resource.ts';
import { COMPOSER_ROLES, CREATIVE_WRITERS } from '../../../contract/declare/roles.ts';
import { blankName } from '../../../contract/declare/rules.ts';
import { type ErrorDetail, Problem } from '../../../contract/problems/problems.ts';
import { mediaKeyOf } from '../../../contract/services/media.ts';
import { CONVERSATION_SETTINGS } from '../../../contract/store/posts.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { accountMedia } from '../account-media.ts';
import { cardUri } from '../cards/card-uri.ts';
import { webUrl } from '../cards/web-url.ts';
import { authorParameter, checkPromotable, findAuthorOrAdvertiser, mayPost, type PostAuthor } from './authors.ts';
import { checkPublishable, MEDIA_PROBLEMS } from './post-content.ts';
import { contentFields, mediaKeys } from './post-fields.ts';
import { createdPostJson, createdPostSchema, readRenderContext } from './post-json.ts';
import { publishedView } from './post-view.ts';
import { buildPost, publishPost } from './publish-post.ts';

/** Parameters that require a video. */
const VIDEO_PARAMETERS = ['video_title', 'video_description', 'video_cta', 'video_cta_value'] as const;

/**
 * Publishes an organic or promoted-only post.
 * @source creatives 13.1
 */
export const createPost: AccountOperation = {
  id: 'posts.create',
  method: 'POST',
  path: '/12/accounts/:account_id/post',
  description: 'Publish an organic or promoted-only post.',
  group: 'posts',
  groupDescription: 'Published posts of the promotable users of an account, and previews of all posts.',
  family: 'ads',
  roles: CREATIVE_WRITERS,
  rate: 'writes',
  parameters: {
    as_user_id: authorParameter,
    text: contentFields.text,
    card_uri: cardUri().describe('Card URI of the account; exclusive with media.'),
    media_keys: mediaKeys().describe('Up to 4 images, 1 GIF or 1 video, as media keys or upload ids.'),
    name: contentFields.name,
    nullcast: boolean()
      .defaults(1)
      .describe('Promoted-only; false for an organic post, which only the author may publish.'),
    conversation_settings: oneOf(...CONVERSATION_SETTINGS)
      .defaults('EVERYONE')
      .describe('Who may reply.'),
    trim_user: boolean().describe('Reduces the author to the id.'),
    post_mode: oneOf('compat', 'extended')
      .defaults('compat')
      .describe('`extended` returns `full_text` and `display_text_range`.'),
    video_title: text({ max: 70 }).describe('Title of the video.'),
    video_description: text({ max: 200 }).describe('Description of the video.'),
    video_cta: oneOf('VISIT_SITE', 'WATCH_NOW').describe('Call to action of the video; requires `video_cta_value`.'),
    video_cta_value: webUrl({ max: 2000 }).describe('URL of the call to action.'),
  },
  body: 'form',
  shape: 'one',
  reply: createdPostSchema,
  problems: [
    'TEXT_EMPTY',
    'NOT_PROMOTABLE',
    'ACTION_NOT_ALLOWED',
    'POST_CANNOT_BE_BLANK',
    ...MEDIA_PROBLEMS,
    'MEDIA_MIXED',
    'CARD_NOT_FOUND',
    'CARD_CLOSED',
    'EXCLUSIVE_PARAMETERS',
    'INCLUSIVE_PARAMETERS',
    'NEEDS_VIDEO',
  ],
  validate: (input) => [...blankName(input.name), ...checkCallToAction(input)],
  async perform(call) {
    const { ids, rowFactory, store, media, ads } = call.services;
    const { input, principal, now } = call;
    const [id] = await ids.takeLong('post', LONG_IDS_FROM, 1);
    const mediaIds = await rowFactory.takeIds(accountMedia, itemsOf(input.media_keys).length);
    return store.write(async (tx) => {
      const account = call.account;
      await tx.records.lockAccount(account.id);
      const mediaContext = { tx, media: media.addresses, account, now };
      const content = await requestedContent(tx, input);
      const author = await findAuthorOrAdvertiser(tx, account.id, input.as_user_id);
      const owners = [principal.user, author.user];
      const checked = await checkPublishable(mediaContext, content, { author: author.user, owners });
      const hasVideo = checked.media.some(({ type }) => type === 'VIDEO');
      const errors = [
        ...checkAuthor(call, author),
        ...checked.errors,
        ...(hasVideo ? [] : checkNoVideoParameters(input)),
      ];
      if (errors.length > 0) throw new Problem(errors);
      const post = buildPost({
        ...content,
        id: id!,
        environment: call.environment,
        account_id: account.id,
        user_id: author.user,
        contributor_id: principal.user === author.user ? null : principal.user,
        name: textOrNull(input.name),
        nullcast: input.nullcast === 0 ? 0 : 1,
        conversation_settings: String(input.conversation_settings ?? 'EVERYONE'),
        video_title: textOrNull(input.video_title),
        video_description: textOrNull(input.video_description),
        video_cta: textOrNull(input.video_cta),
        video_cta_value: textOrNull(input.video_cta_value),
        created_at: now,
      });
      await publishPost(tx, { rowFactory, actor: call, mediaIds }, post, checked.media);
      const view = publishedView(post);
      const options = { source: ads.postSource, isTrimmed: input.trim_user === 1 };
      const context = await readRenderContext(mediaContext, [view], options);
      return { data: createdPostJson(view, context, { isExtended: input.post_mode === 'extended' }) };
    });
  },
};

function textOrNull(value: StoredValue | null | undefined): string | null {
  return value == null ? null : String(value);
}

/** Returns the requested content, with upload ids replaced by media keys. Unknown ids stay and are rejected as keys. */
async function requestedContent(tx: ReadTransaction, input: Input) {
  const requested = itemsOf(input.media_keys);
  const uploads = new Map(
    (await tx.uploads.list(requested.filter((key) => /^\d+$/.test(key)))).map((each) => [each.id, each]),
  );
  const keys = requested.map((key) => {
    const upload = uploads.get(key);
    return upload ? mediaKeyOf(upload.category, upload.id) : key;
  });
  return {
    text: textOrNull(input.text),
    card_uri: textOrNull(input.card_uri),
    media_keys: JSON.stringify([...new Set(keys)]),
  };
}

function checkAuthor({ account, input, principal, canCompose, role }: AccountCall, author: PostAuthor): ErrorDetail[] {
  const error = checkPromotable(author, account.id, 'as_user_id');
  if (error) return [error];
  const by = { user: principal.user, canCompose: canCompose && COMPOSER_ROLES.includes(role) };
  if (mayPost(by, author, input.nullcast !== 0)) return [];
  return [{ problem: 'ACTION_NOT_ALLOWED', words: { account: account.id } }];
}

/** A call to action and its URL require each other. */
function checkCallToAction(input: Input): readonly ErrorDetail[] {
  const pair = ['video_cta', 'video_cta_value'] as const;
  const missing = pair.filter((name) => input[name] == null);
  const [parameter] = missing;
  if (missing.length !== 1) return [];
  return [{ problem: 'INCLUSIVE_PARAMETERS', parameter: parameter!, words: { a: pair[0], b: pair[1] } }];
}

function checkNoVideoParameters(input: Input): ErrorDetail[] {
  return VIDEO_PARAMETERS.filter((name) => input[name] != null).map((parameter) => ({
    problem: 'NEEDS_VIDEO',
    parameter,
  }));
}
