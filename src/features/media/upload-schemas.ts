import { Type } from '../../base/json-schema.ts';

const DIGITS = '^\\d{1,19}$';
const KEY = '^(3|7|13|16)_\\d{1,19}$';

const failure = Type.Closed({ code: Type.Literal(1), name: Type.Literal('InvalidMedia'), message: Type.String() });

const processing = Type.Closed({
  state: Type.Union(['pending', 'in_progress', 'succeeded', 'failed'].map((state) => Type.Literal(state))),
  check_after_secs: Type.Optional(Type.Integer({ minimum: 1 })),
  progress_percent: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
  error: Type.Optional(failure),
});

const side = Type.Optional(Type.Integer({ minimum: 1 }));

const common = {
  media_key: Type.String({ pattern: KEY }),
  size: Type.Optional(Type.Integer({ minimum: 1 })),
  expires_after_secs: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Seconds until the media is removed if unused; absent once used.' }),
  ),
  image: Type.Optional(Type.Closed({ image_type: Type.String(), w: side, h: side })),
  video: Type.Optional(Type.Closed({ video_type: Type.String() })),
  processing_info: Type.Optional(processing),
};

/** An upload in replies of version 1.1. */
export const uploadV1Schema = Type.Closed({
  media_id: Type.Number({
    description: 'Exceeds the integer precision of many JSON parsers; use `media_id_string`.',
  }),
  media_id_string: Type.String({ pattern: DIGITS }),
  ...common,
});

const second = Type.Closed({ id: Type.String({ pattern: DIGITS }), ...common });

/** An upload in replies of version 2. */
export const uploadV2Schema = Type.Closed({ data: second });

const expiring = Type.Closed({ expires_at: Type.Integer({ description: 'Unix seconds.' }) });

/** The reply of version 2 to APPEND. */
export const appendV2Schema = Type.Closed({ data: expiring });

/** The reply of version 2 to any command. */
export const commandV2Schema = Type.Closed({ data: Type.Union([second, expiring]) });
