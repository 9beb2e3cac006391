import { type Schema, Type } from '../../../base/json-schema.ts';

const closed = { additionalProperties: false };
const orNull = (schema: Schema): Schema => Type.Union([schema, Type.Null()]);

const media = Type.Object(
  {
    type: Type.String(),
    url: orNull(Type.String()),
    poster_url: orNull(Type.String()),
    width: orNull(Type.Integer()),
    height: orNull(Type.Integer()),
    duration_ms: orNull(Type.Integer()),
  },
  closed,
);

const person = { id: Type.String(), name: Type.String(), screen_name: Type.String() };

const post = Type.Object(
  {
    type: Type.Literal('post'),
    id: Type.String(),
    text: Type.String(),
    language: orNull(Type.String()),
    created_at: Type.String(),
    author: Type.Object(person, closed),
    media: Type.Array(media),
    card: orNull(Type.Object({ type: Type.String(), title: orNull(Type.String()), media: Type.Array(media) }, closed)),
    preview_url: Type.String(),
  },
  { ...closed, title: 'Post to show' },
);

const account = Type.Object(
  {
    type: Type.Literal('account'),
    user: Type.Object({ ...person, description: orNull(Type.String()) }, closed),
  },
  { ...closed, title: 'Account to show' },
);

const mediaAlone = Type.Object({ type: Type.Enum(['banner', 'video']), media }, { ...closed, title: 'Media to show' });

/** What publishers show: a post, an account, or media alone. */
export const creativeSchema: Schema = Type.Union([post, account, mediaAlone]);
