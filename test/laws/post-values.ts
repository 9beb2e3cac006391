import { fc } from '../rig/laws.ts';
import { count, cursor, DIFFICULT, type Input, line, type Ref, ref, truth, type Value } from './values.ts';

/** A post of any kind: its id, or that of something else. */
export const anyPost: fc.Arbitrary<Ref> = ref('post', fc.nat(12));

const author = fc.constantFrom('900000001', '900000001', '7', 'x');
const text = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('Hello @ada_demo #x', '@ada_demo hi', 'https://example.com/\u00e9 $A', 'two\nlines'),
  },
  { weight: 2, arbitrary: fc.constantFrom(...DIFFICULT) },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', '\u0000', 'x'.repeat(281)) },
);
const name = fc.constantFrom('Spring', 'spring sale', '\u00c4pfel', '', 'x'.repeat(81));
const media = fc.constantFrom('3_1', '3_1,3_2', '7_5', '16_1', '3_1,16_1', '', 'x', '3_1,3_2,3_3,3_4,3_5');
const card = fc.constantFrom('', 'card://7', 'nope');
const type = fc.constantFrom('DRAFT', 'PUBLISHED', 'SCHEDULED', 'x');
const time = fc.constantFrom('2026-09-01', '2026-09-01T10:07:08Z', '2026-09-01T10:14:00Z', '2020-01-01', 'x');

const content: Input = { text, name, media_keys: media, card_uri: card, nullcast: truth };
const posts = anyPost.map((one) => [one]) as fc.Arbitrary<Value>;

/** Parameters of what is done with posts, by what it is. */
export const postFields = {
  draft: { ...content, as_user_id: author },
  scheduled: { ...content, as_user_id: author, scheduled_at: time },
  published: {
    ...content,
    as_user_id: author,
    trim_user: truth,
    post_mode: fc.constantFrom('compat', 'extended', 'x'),
    video_title: name,
    conversation_settings: fc.constantFrom('EVERYONE', 'FOLLOWING', 'x'),
  },
  promoted: { line_item_id: line, post_ids: posts },
  scheduledPromoted: { line_item_id: line, scheduled_post_id: anyPost },
  named: { name },
} satisfies Record<string, Input>;

/** Conditions of lists of posts. */
export const postLists = {
  drafts: { count: fc.constantFrom(1, 2, 100, 201), cursor, user_id: author },
  posts: {
    post_type: type,
    timeline_type: fc.constantFrom('ALL', 'NULLCAST', 'ORGANIC', 'x'),
    include_mentions_and_replies: truth,
    name: fc.constantFrom('s', 'SPRING', '\u00e4'),
    post_ids: posts,
    user_id: author,
    trim_user: truth,
    count,
    cursor,
  },
} satisfies Record<string, Input>;
