import { type Schema, Type } from '../../../base/json-schema.ts';

/** Button labels. @source advertising: Component-based card */
export const BUTTON_LABELS = ['BOOK', 'CONNECT', 'INSTALL', 'OPEN', 'ORDER', 'PLAY', 'SHOP'] as const;

const closed = { additionalProperties: false };
const titled = (title: string) => ({ ...closed, title });

const destination = {
  website: Type.Object(
    {
      type: Type.Literal('WEBSITE'),
      url: Type.String({ maxLength: 2000, description: 'http or https URL, stored unchanged.' }),
    },
    titled('Website destination'),
  ),
  app: Type.Object(
    {
      type: Type.Literal('APP'),
      country_code: Type.String({ pattern: '^[A-Z]{2}$' }),
      android_store_app_id: Type.Optional(Type.String({ maxLength: 255 })),
      ios_store_identifier: Type.Optional(Type.String({ pattern: '^\\d{1,20}$' })),
      android_deep_link: Type.Optional(
        Type.String({ maxLength: 2000, description: 'Only with android_store_app_id.' }),
      ),
      ios_deep_link: Type.Optional(Type.String({ maxLength: 2000, description: 'Only with ios_store_identifier.' })),
    },
    titled('App destination'),
  ),
};

const words = (all: readonly string[]): Schema => Type.Union(all.map((each) => Type.Literal(each)));

const media = Type.Object({ type: Type.Literal('MEDIA'), media_key: Type.String() }, titled('Media component'));
const details = Type.Object(
  { type: Type.Literal('DETAILS'), title: Type.String({ maxLength: 70 }), destination: destination.website },
  titled('Details component'),
);
const swipeable = Type.Object(
  {
    type: Type.Literal('SWIPEABLE_MEDIA'),
    media_keys: Type.Array(Type.String(), {
      minItems: 1,
      maxItems: 6,
      description: '2 to 6 on create, 1 to 6 on update.',
    }),
  },
  titled('Swipeable media component'),
);
const button = Type.Object(
  {
    type: Type.Literal('BUTTON'),
    label: Type.Object(
      {
        type: Type.Literal('ENUM'),
        value: words(BUTTON_LABELS),
      },
      closed,
    ),
    destination: destination.app,
  },
  titled('Button component'),
);

/** JSON Schemas of components and slides, in requests and replies. @source advertising: Component-based card */
export const componentSchema: Readonly<Record<'components' | 'slides', Schema>> = {
  components: Type.Array(Type.Union([media, swipeable, details, button]), { minItems: 2, maxItems: 2 }),
  slides: Type.Array(Type.Array(Type.Union([media, details]), { minItems: 2, maxItems: 2 }), {
    minItems: 2,
    maxItems: 6,
  }),
};
