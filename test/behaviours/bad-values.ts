import { type Field, isErrorDetail } from '../../src/contract/declare/fields.ts';

/** One error of a reply. */
export interface Said {
  readonly code: string;
  readonly message: string;
  readonly parameter: string;
  readonly details?: string;
  readonly value?: string;
}

const CODE = 'INVALID_PARAMETER';
/** The error of a parameter whose value is invalid. */
export const invalid = (parameter: string, message: string, more = {}): Said => ({
  code: CODE,
  message,
  parameter,
  ...more,
});

/** Bad values of a kind, as text, and exactly what is said of them. @source campaigns 1.2 to 1.4, 2.2 */
export function badValues(name: string, field: Field): [string, Said][] {
  const schema = field.kind.schema as {
    maxLength?: number;
    minimum?: number;
    maximum?: number;
    anyOf?: { const: string }[];
    items?: { anyOf?: { const: string }[]; maxLength?: number };
    minItems?: number;
    maxItems?: number;
  };
  const long = (raw: string) => invalid(name, `Expected Long, got "${raw}" for ${name}`);
  const time = (raw: string) =>
    invalid(name, `Expected time, got "${raw}" for ${name}`, { details: 'invalid date', value: raw });
  const among = (words: { const: string }[], raw: string) => {
    const list = words.map((word) => word.const).sort();
    return invalid(name, `Expected a value in ${list.join(', ')}, got "${raw}" for ${name}`);
  };
  switch (field.kind.name) {
    case 'text': {
      const max = schema.maxLength!;
      const illegal = { code: 'ILLEGAL_CHARACTERS', message: `Illegal characters in ${name}`, parameter: name };
      return [
        ['x'.repeat(max + 1), invalid(name, `Expected a maximum length of ${max}, got ${max + 1} for ${name}`)],
        ['\u{1f600}'.repeat(max + 1), invalid(name, `Expected a maximum length of ${max}, got ${max + 1} for ${name}`)],
        ['a\u0000b', illegal],
        ['a\nb', illegal],
        ['\u007f', illegal],
        ['\u0085', illegal],
      ];
    }
    case 'email':
      return [
        ['x'.repeat(255), invalid(name, `Expected a maximum length of 254, got 255 for ${name}`)],
        ...['nope', 'a@', '@b', 'a b@c.test', 'a@b@c.test'].map((raw): [string, Said] => [
          raw,
          invalid(name, `Expected an email address, got "${raw}" for ${name}`),
        ]),
      ];
    case 'post text': {
      const illegal = { code: 'ILLEGAL_CHARACTERS', message: `Illegal characters in ${name}`, parameter: name };
      const long = (length: number) => invalid(name, `Expected a maximum length of 280, got ${length} for ${name}`);
      return [
        ['x'.repeat(281), long(281)],
        ['\u{1f600}'.repeat(281), long(281)],
        [`${'x'.repeat(257)} https://example.com`, long(281)],
        ['a\u0000b', illegal],
        ['\u007f', illegal],
      ];
    }
    case 'card uri':
      return ['card://', 'card://x', 'card:/42', '42', `card://${'9'.repeat(20)}`].map((raw) => [
        raw,
        invalid(name, `Expected card://<number>, got "${raw}" for ${name}`),
      ]);
    case 'word':
    case 'enum':
      return ['NO_SUCH_WORD', schema.anyOf![0]!.const.toLowerCase(), ` ${schema.anyOf![0]!.const}`]
        .filter((raw) => isErrorDetail(field.kind.read(raw, name)))
        .map((raw) => [raw, among(schema.anyOf!, raw)]);
    case 'currency':
      return ['CHF', 'chf', 'US', 'US D'].map((raw) => [raw, among(schema.anyOf!, raw)]);
    case 'micros':
      return [
        ...['1.5', 'ten', '1e6', '9007199254740992', '99999999999999999999', '0x10', '+5', ' 5', '1,000'].map(
          (raw): [string, Said] => [raw, long(raw)],
        ),
        ['0', invalid(name, `Expected a value greater than 0, got 0 for ${name}`)],
        ['-1000000', invalid(name, `Expected a value greater than 0, got -1000000 for ${name}`)],
      ];
    case 'integer': {
      const { minimum, maximum } = schema;
      const over = String(maximum! + 1);
      return [
        ['x', long('x')],
        ['1.0', long('1.0')],
        [
          over,
          invalid(name, `Expected int between ${minimum} and ${maximum}, got "${over}" for ${name}`, {
            details: 'value out of range',
            value: over,
          }),
        ],
      ];
    }
    case 'boolean':
      return ['yes', '2', 'TRUE!'].map((raw) => [raw, invalid(name, `Expected boolean, got "${raw}" for ${name}`)]);
    case 'instant':
    case 'time bound':
      return [
        ...['yesterday', '2026-02-30', '2026-13-01T00:00:00Z', '2026-01-01T24:00:00Z', '1767225600'],
        '2026-01-01 00:00:00',
      ].map((raw) => [raw, time(raw)]);
    case 'id':
      return ['a-b', 'é', 'a b', 'x'.repeat(65)].map((raw) => [
        raw,
        invalid(name, `Expected an id, got "${raw}" for ${name}`),
      ]);
    case 'number enum': {
      const list = schema.anyOf!.map((each) => each.const).join(', ');
      return ['2', 'x', '1.0'].map((raw) => [
        raw,
        invalid(name, `Expected a value in ${list}, got "${raw}" for ${name}`),
      ]);
    }
    case 'digits':
      return ['id42', '4 2', '-4', '9'.repeat(21)].map((raw) => [raw, long(raw)]);
    case 'refused':
      return [['x'.repeat(21), invalid(name, `setting ${name} is not allowed`)]];
    case 'targeting type':
      return ['NO_SUCH', 'TAILORED_AUDIENCE', 'NEGATIVE_KEYWORD', 'age'].map((raw) => [
        raw,
        {
          code: 'UNKNOWN_CRITERIA_TYPE',
          message: `Expected a known targeting type, got "${raw}" for ${name}`,
          parameter: name,
        },
      ]);
    case 'https url':
      return ['http://example.com', 'https://', 'example.com/x', '/x', 'https://a b', 'ftp://example.com'].map(
        (raw) => [raw, invalid(name, `Expected an absolute https URL, got "${raw}" for ${name}`)],
      );
    case 'hashtag':
      return [
        ...['a b', '#a-b', '#', 'a#b', '##a'].map((raw): [string, Said] => [
          raw,
          invalid(name, `Expected a hashtag, got "${raw}" for ${name}`),
        ]),
        [`#${'x'.repeat(21)}`, invalid(name, `Expected a maximum length of 20, got 21 for ${name}`)],
      ];
    case 'web url':
      return ['example.com/x', '/x', 'http://', 'https://a b', 'ftp://example.com', 'javascript:alert(1)'].map(
        (raw) => [raw, invalid(name, `Expected an absolute http or https URL, got "${raw}" for ${name}`)],
      );
    case 'media key':
      return ['4_42', '7-42', '7_', `7_${'1'.repeat(20)}`, 'x', ' 7_42'].map((value) => [
        value,
        {
          code: 'INVALID_MEDIA_ID',
          message: `Expected a media key, got "${value}" for ${name}`,
          parameter: name,
          value,
        },
      ]);
    case 'list': {
      const words = schema.items?.anyOf;
      if (schema.minItems === 0 && words) return [['NO_SUCH', among(words, 'NO_SUCH')]];
      if (schema.minItems === 0) {
        const max = schema.items!.maxLength!;
        const long = `Expected a maximum length of ${max}, got ${max + 1} for ${name}`;
        const many = Array.from({ length: schema.maxItems! + 1 }, (_, index) => index).join(',');
        return [
          ['x'.repeat(max + 1), invalid(name, long)],
          [many, invalid(name, `A maximum of ${schema.maxItems} items may be provided for ${name}`)],
        ];
      }
      const few = invalid(name, `A minimum of 1 items must be provided for ${name}`);
      return [[',', few], [' , ', few], ...(words ? [['NO_SUCH', among(words, 'NO_SUCH')] as [string, Said]] : [])];
    }
    default:
      return [];
  }
}

/** What is said of an empty value that may not be. */
export function saidOfEmpty(name: string, field: Field): Said {
  const missing = { code: 'MISSING_PARAMETER', message: `"${name}" is a required parameter`, parameter: name };
  if (field.isRequired && field.kind.name !== 'list' && !field.kind.readsEmpty) return missing;
  const short = invalid(name, `Expected a minimum length of 1, got 0 for ${name}`);
  if (field.kind.name === 'text' || field.kind.name === 'id') return short;
  const [, said] = badValues(name, field)[0]!;
  if (field.kind.name === 'list') return said;
  const message = said.message.replace(/got "[^"]*"/, 'got ""');
  return { ...said, message, ...(said.value === undefined ? {} : { value: '' }) };
}
