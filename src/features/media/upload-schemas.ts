import { Type } from '../../base/json-schema.ts';

const closed = { additionalProperties: false } as const;
const DIGITS = '^\\d{1,19}$';
const KEY = '^(3|7|13|16)_\\d{1,19}$';

const failure = Type.Object(
  { code: Type.Literal(1), name: Type.Literal('InvalidMedia'), message: Type.String() },
  closed,
);

const processing = Type.Object(
  {
    state: Type.Union(['pending', 'in_progress', 'succeeded', 'failed'].map((state) => Type.Literal(state))),
    check_after_secs: Type.Optional(Type.Integer({ minimum: 1 })),
    progress_percent: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
    error: Type.Optional(failure),
  },
  closed,
);

const side = Type.Optional(Type.Integer({ minimum: 1 }));

const common = {
  media_key: Type.String({ pattern: KEY }),
  size: Type.Optional(Type.Integer({ minimum: 1 })),
  expires_after_secs: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Seconds until the media is removed if unused; absent once used.' }),
  ),
  image: Type.Optional(Type.Object({ image_type: Type.String(), w: side, h: side }, closed)),
  video: Type.Optional(Type.Object({ video_type: Type.String() }, closed)),
  processing_info: Type.Optional(processing),
};

/** An upload in replies of version 1.1. */
export const uploadV1Schema = Type.Object(
  {
    media_id: Type.Number({
      description: 'Exceeds the integer precision of many JSON parsers; use `media_id_string`.',
    }),
    media_id_string: Type.String({ pattern: DIGITS }),
    ...common,
  },
  closed,
);

const second = Type.Object({ id: Type.String({ pattern: DIGITS }), ...common }, closed);

/** An upload in replies of version 2. */
export const uploadV2Schema = Type.Object({ data: second }, closed);

const expiring = Type.Object({ expires_at: Type.Integer({ description: 'Unix seconds.' }) }, closed);

/** The reply of version 2 to APPEND. */
export const appendV2Schema = Type.Object({ data: expiring }, closed);

/** The reply of version 2 to any command. */
export const commandV2Schema = Type.Object({ data: Type.Union([second, expiring]) }, closed);
