import type { SeededRandom } from './seeded-random.ts';

const REPEATED = (text: string, count: number): string => text.repeat(count);

const NUMBERS = [
  ...[
    '0',
    '-0',
    '-1',
    '1',
    '2',
    '40',
    '200',
    '201',
    '1000',
    '1001',
    '1e3',
    '1E999',
    '0x10',
    '007',
    '1.0',
    '.5',
    '1,000',
  ],
  ...['9007199254740991', '9007199254740992', '9223372036854775807', '9223372036854775808', '-9007199254740993'],
  ...[
    '99999999999999999999999999',
    'NaN',
    'Infinity',
    '\u0661\u0662',
    '\uff11',
    '1_000',
    ' 1',
    '1 ',
    '+1',
    '--1',
    '1n',
  ],
];

const TIMES = [
  ...['2026-01-01', '2026-01-01T00:00Z', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00+02:00', '2026-02-30T00:00:00Z'],
  ...['2026-01-01T00:00:00+99:99', '0000-00-00T00:00:00Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z'],
  ...['+275760-09-13T00:00:00Z', '-271821-04-20T00:00:00Z', '10000-01-01T00:00:00Z', '2026-01-01T24:00:00Z'],
  ...[
    '2026-12-31T23:59:60Z',
    '2026-01-01T00:00:00.123456789Z',
    '1767225600',
    '1e20',
    'now',
    'Thu, 01 Jan 1970 00:00:00',
  ],
];

const WORDS = [
  ...['true', 'false', 'TRUE', 't', 'null', 'undefined', 'ACTIVE', 'active', 'PAUSED', 'DELETE', 'Create', 'EQ', 'NE'],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then', 'length', '[object Object]', '{}', '[]', '[1]'],
];

const LISTS = [
  ...[',', ',,,,', 'a,b', ' a , b ', 'a,a,a', ',a', 'a,', 'zz9,zz9,zz8', '%2C', ';', 'a;b', '[a,b]', '["a","b"]'],
  ...[Array.from({ length: 200 }, (_, at) => at).join(','), Array.from({ length: 201 }, (_, at) => at).join(',')],
];

const ORDERS = [
  ...['name-asc', 'name-desc', 'created_at-asc', 'created_at', 'created_at-', '-asc', 'id-asc', 'deleted-desc'],
  ...[
    'name-asc,name-desc',
    '__proto__-asc',
    'constructor-desc',
    REPEATED('name-asc,', 500),
    'name-asc-asc',
    'name--asc',
  ],
];

const TEXTS = [
  ...[
    '',
    ' ',
    'a',
    'Sample',
    '\u0000',
    'a\u0000b',
    '\u0001',
    '\u007f',
    '\u0085',
    '\u2028',
    '\ufeff',
    '\ufffe',
    '\uffff',
  ],
  ...[
    '\u202e',
    '\u200b\u200d',
    '\ud83d\ude00',
    'e\u0301',
    '\u1e9e\u0130\u03c2',
    '\ufb01',
    'z\u0335\u0321',
    '\u{10ffff}',
  ],
  ...[
    "'",
    '"',
    '\\',
    "' or 1=1 --",
    '%',
    '_',
    '%_%',
    '\\%',
    '$1',
    '#{7*7}',
    '{{7*7}}',
    '%n%s',
    '<script>',
    '&amp;',
    '`id`',
  ],
  ...[
    '../../etc/passwd',
    '..%2f..%2f',
    'file:///etc/passwd',
    'http://169.254.169.254/',
    'http://[::1]:1/',
    'https://x',
  ],
  ...[
    'javascript:alert(1)',
    'card://1',
    'card://',
    '3_1',
    '13_1',
    '7_0',
    '99_1',
    '#',
    '#Sample',
    '# x',
    'ftp://x@y:0/z',
  ],
  ...['a\r\nb: c', '\r\n\r\n', '\t', 'US', 'us', 'ZZ', 'QQQ', 'USD', 'en', 'eng', 'Europe/Nowhere', 'UTC', 'GMT+25'],
];

const LONG = [255, 256, 300, 2000, 2001, 5000].map((count) => REPEATED('x', count));
const WIDE = [80, 255, 256].map((count) => REPEATED('\ud83d\ude00', count));

const ALL = [NUMBERS, TIMES, WORDS, LISTS, ORDERS, TEXTS, TEXTS, [...LONG, ...WIDE]];

/** A text that no parameter expects, or that only some do. */
export function hostileText(dice: SeededRandom): string {
  return dice.pick(dice.pick(ALL));
}

/** A text changed in one place: cut, doubled, in other letters, or with something put in. */
export function bent(dice: SeededRandom, text: string): string {
  const at = dice.below(text.length + 1);
  switch (dice.below(8)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(at);
    case 2:
      return text + text;
    case 3:
      return text.toUpperCase();
    case 4:
      return text.slice(0, at) + dice.pick(TEXTS) + text.slice(at);
    case 5:
      return ` ${text} `;
    case 6:
      return text.slice(0, at) + String.fromCharCode(32 + dice.below(95)) + text.slice(at + 1);
    default:
      return `${text},${hostileText(dice)}`;
  }
}

/** A segment of a path, encoded or not: it may hold what no path may. */
export function hostileSegment(dice: SeededRandom): string {
  const raw = [
    ...[
      'zz9',
      'ZZ9',
      '1',
      '0',
      '-1',
      '%00',
      '%2e%2e',
      '..',
      '.',
      '%2F',
      '%25',
      '%',
      '%zz',
      '%ff',
      '%c0%80',
      '%ud800',
      ';a=b',
    ],
    ...[
      '__proto__',
      'constructor',
      '*',
      '~',
      '%20',
      '+',
      ':id',
      '7_42',
      '3_42',
      'null',
      'x'.repeat(64),
      'x'.repeat(65),
    ],
    ...['9'.repeat(19), '9'.repeat(20), 'x'.repeat(5000), '%F0%9F%98%80', '%E2%80%AE', 'activity_stream', 'all'],
  ];
  return dice.pick(raw);
}
