import { type Schema, Type } from '../../../base/json-schema.ts';

/** Button labels. @source advertising 10 */
export const BUTTON_LABELS = ['BOOK', 'CONNECT', 'INSTALL', 'OPEN', 'ORDER', 'PLAY', 'SHOP'] as const;

const destination = {
  website: Type.Closed(
    {
      type: Type.Literal('WEBSITE'),
      url: Type.String({ maxLength: 2000, description: 'http or https URL, stored unchanged.' }),
    },
    { title: 'Website destination' },
  ),
  app: Type.Closed(
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
    { title: 'App destination' },
  ),
};

const media = Type.Closed({ type: Type.Literal('MEDIA'), media_key: Type.String() }, { title: 'Media component' });
const details = Type.Closed(
  { type: Type.Literal('DETAILS'), title: Type.String({ maxLength: 70 }), destination: destination.website },
  { title: 'Details component' },
);
const swipeable = Type.Closed(
  {
    type: Type.Literal('SWIPEABLE_MEDIA'),
    media_keys: Type.Array(Type.String(), {
      minItems: 1,
      maxItems: 6,
      description: '2 to 6 on create, 1 to 6 on update.',
    }),
  },
  { title: 'Swipeable media component' },
);
const button = Type.Closed(
  {
    type: Type.Literal('BUTTON'),
    label: Type.Closed({
      type: Type.Literal('ENUM'),
      value: Type.Literals(BUTTON_LABELS),
    }),
    destination: destination.app,
  },
  { title: 'Button component' },
);

/** JSON Schemas of components and slides, in requests and replies. @source advertising 10 */
export const componentSchema: Readonly<Record<'components' | 'slides', Schema>> = {
  components: Type.Array(Type.Union([media, swipeable, details, button]), { minItems: 2, maxItems: 2 }),
  slides: Type.Array(Type.Array(Type.Union([media, details]), { minItems: 2, maxItems: 2 }), {
    minItems: 2,
    maxItems: 6,
  }),
};
