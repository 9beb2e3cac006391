import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { columnOfName } from '../../src/features/audiences/uploads/people-columns.ts';
import { NOTHING_YET, readParts } from '../../src/features/audiences/uploads/people-parts.ts';
import { openTable } from '../../src/features/audiences/uploads/people-table.ts';
import { phoneNumberOf } from '../../src/features/audiences/uploads/phone-number.ts';

/** The bytes of a file, in pieces. */
async function* piecesOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function all<T>(pieces: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of pieces) found.push(each);
  return found;
}

const PLAN = {
  type: 'Update',
  country: undefined,
  window: {},
  now: Date.parse('2026-03-02T00:00:00Z'),
  hash: (text: string) => text,
  done: NOTHING_YET,
} as const;

/** What is uploaded of a file, unhashed, and what is wrong with it. */
async function readFile(bytes: Uint8Array, { country, size = 7 }: { country?: string; size?: number } = {}) {
  const { columns } = await openTable(piecesOf(bytes, size));
  const parts = readParts(await openTable(piecesOf(bytes, size)), {
    ...PLAN,
    ...{ columns, country, bytesMax: 1e6 },
  });
  const found = await all(parts);
  return {
    kinds: columns.map((column) => column?.kind),
    operations: found.flatMap(({ operations }) => operations),
    faults: found.flatMap(({ faults }) => faults),
    done: found.at(-1)?.done,
  };
}

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');

describe('files of people are read alike', () => {
  const ROWS = [
    ['Имя', 'E-Mail', 'Größe', 'Телефон'],
    ['Ada, Müller', 'ada@one.test', '1; 2', '+49 171 2345678'],
    ['Ben | "B" \t x', 'Ben@Two.Test', 'x', '+1 415 555 0142'],
  ];
  const EXPECTED = [
    { email: ['ada@one.test'], phone_number: ['+491712345678'] },
    { email: ['ben@two.test'], phone_number: ['+14155550142'] },
  ];
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const encodings: Record<string, (text: string) => Uint8Array> = {
    'UTF-8': (text) => Buffer.from(text),
    'UTF-8 with a mark': (text) => Buffer.from(`\ufeff${text}`),
    'UTF-16': (text) => utf16(`\ufeff${text}`),
    'UTF-16, big-endian': (text) => utf16(`\ufeff${text}`).swap16(),
    'UTF-16 without a mark': (text) => utf16(text.replace('Имя', 'Name')),
    'Windows-1252': (text) => Buffer.from(text.replace('Имя', 'Größe').replace('Телефон', 'Téléphone'), 'latin1'),
  };
  for (const [name, encode] of Object.entries(encodings)) {
    for (const separator of [',', ';', '\t', '|']) {
      test(`${name}, ${JSON.stringify(separator)}`, async () => {
        const bytes = encode(`${ROWS.map((row) => row.map(quoted).join(separator)).join('\r\n')}\r\n`);
        for (const size of [1, 7, 1000]) {
          const { kinds, operations } = await readFile(bytes, { size });
          assert.deepEqual(kinds, [undefined, 'email', undefined, 'phone_number']);
          assert.deepEqual(operations[0]?.params.users, EXPECTED);
        }
      });
    }
  }

  const headless: [text: string, kinds: (string | undefined)[]][] = [
    ['ada@one.test\nben@two.test\n', ['email']],
    ['Ada;ada@one.test;0171 2345678\nBen;;0171 2345679\n', [undefined, 'email', 'phone_number']],
    ['1,EA7583CD-A667-48BC-B806-42ECB2B48606,2026-01-02\n', [undefined, 'device_id', undefined]],
    [`${'0a'.repeat(32)}\n`, [undefined]],
  ];
  for (const [text, kinds] of headless) {
    test(`without names: ${JSON.stringify(text)}`, async () => {
      const table = await openTable(piecesOf(Buffer.from(text), 1000));
      assert.equal(table.names, undefined);
      assert.deepEqual(
        table.columns.map((column) => column?.kind),
        kinds,
      );
      assert.equal((await all(table.rows())).flat().length, text.trim().split('\n').length);
    });
  }

  test('columns with unknown names are known by their values', async () => {
    const { kinds } = await readFile(Buffer.from('Kunde,Adresse\n17,ada@one.test\n18,ben@two.test\n'));
    assert.deepEqual(kinds, [undefined, 'email']);
  });

  for (const [kind, names] of [
    [
      'email',
      'E-Mail-Adresse|Adresse e-mail|Correo electrónico|Correio eletrônico|Indirizzo e-mail|E-mailadres|Adres e-mail|E-posta adresi|メールアドレス|电子邮件|Электронная почта|EMAIL 2',
    ],
    [
      'phone_number',
      'Mobile phone|Handynummer|Téléphone portable|Teléfono móvil|Telemóvel|Numero di telefono|Telefoonnummer|Numer telefonu|Telefon numarası|電話番号|手机号码|Номер телефона',
    ],
    [
      'partner_user_id',
      'Customer ID|Kunden-Nr.|Numéro client|Código de cliente|Codice cliente|Klantnummer|Müşteri no|顧客ID|客户编号|Номер клиента',
    ],
  ] as const) {
    test(`${kind} in several languages`, () => {
      for (const name of names.split('|')) assert.deepEqual(columnOfName(name), { kind, isHashed: false }, name);
    });
  }

  test('what cannot be used is told by line and column', async () => {
    const text = [
      'email,phone,land,idfa,email_sha256,effective_at,expires_at',
      'ada@one.test,0171 2345678,de,,,,',
      ',0171 2345678,,,,,',
      '"ben@two.test\n",+49 000 000,,00000000-0000-0000-0000-000000000000,,,',
      'nobody,,,,123,,',
      ',,,,,,',
      'cem@three.test,,,,,,1999-12-31',
      'cem@three.test,,,,,,12/31/2027',
      'cem@three.test,,,,,,31.12.2027',
      'dee@four.test,,,,,2026-04-01,2027-12-31T00:00:00Z,,x',
      'dee@four.test,,,,,2026-04-01,2027-12-31T00:00:00Z,,',
      'eva@\0.test,,,,,,',
    ].join('\n');
    const { operations, faults, done } = await readFile(Buffer.from(text));
    assert.deepEqual(
      operations.map(({ params }) => params),
      [
        { users: [{ email: ['ada@one.test'], phone_number: ['+491712345678'] }, { email: ['ben@two.test'] }] },
        { expires_at: '2027-12-31T00:00:00Z', users: [{ email: ['cem@three.test'] }] },
        {
          effective_at: '2026-04-01T00:00:00Z',
          expires_at: '2027-12-31T00:00:00Z',
          users: [{ email: ['dee@four.test'] }],
        },
      ],
    );
    assert.deepEqual(
      faults.map(({ line, column, reason, isRefused }) => [line, column, reason, isRefused]),
      [
        [3, 1, 'country_code', true],
        [4, 1, 'phone_number', false],
        [4, 3, 'device_id', false],
        [6, 0, 'email', true],
        [6, 4, 'hash', true],
        [7, undefined, 'no_identifier', true],
        [8, 6, 'expired', true],
        [9, 6, 'date', true],
        [11, undefined, 'too_many_values', true],
        [13, 0, 'unreadable', true],
      ],
    );
    assert.deepEqual(done, { rows: 11, people: 4, skipped: 7, left_out: 2 });
  });
});

test('parts are as large as a request may be, and have everybody', async () => {
  // First, all are alike; then each has a window of several, and an id that takes more bytes than characters.
  const rest = (at: number): string => (at < 1000 ? ',' : `müller ${at},2027-01-0${(at % 7) + 1}`);
  const rows = Array.from({ length: 2000 }, (_, at) => `ada${at}@one.test,${rest(at)}`);
  const bytes = Buffer.from(['email,customer id,expires_at', ...rows].join('\n'));
  const table = await openTable(piecesOf(bytes, 1000));
  const { columns } = table;
  const parts = readParts(table, { ...PLAN, columns, bytesMax: 9000 });
  const sizes: number[] = [];
  const lines: number[] = [];
  for await (const part of parts) {
    sizes.push(Buffer.byteLength(JSON.stringify(part.operations)));
    lines.push(...part.lines.flat());
    assert.deepEqual(
      part.operations.map(({ params }) => params.users.length),
      part.lines.map(({ length }) => length),
    );
  }
  assert.ok(Math.max(...sizes) <= 9000 && Math.max(...sizes) > 8500, `${sizes}`);
  assert.deepEqual(
    lines.sort((a, b) => a - b),
    rows.map((_, at) => at + 2),
  );
});

describe('phone numbers', () => {
  const cases: [text: string, country: string | undefined, number: string | undefined][] = [
    ['+1 (415) 555-0142', undefined, '+14155550142'],
    ['＋81 90-1234-5678', undefined, '+819012345678'],
    ['0049 (0)171 2345678', undefined, '+491712345678'],
    ['0171 2345678', undefined, undefined],
    ['0171 2345678', 'DE', '+491712345678'],
    ['4915112345678', 'DE', '+4915112345678'],
    ['4155550142', undefined, undefined],
    ['(415) 555-0142', 'US', '+14155550142'],
    ['1 415 555 0142', 'US', '+14155550142'],
    ['+44 20 7946 0018', 'DE', '+442079460018'],
    ['000-000-0000', 'US', undefined],
    ['+49 000 0000000', undefined, undefined],
    ['none', 'DE', undefined],
  ];
  for (const [text, country, number] of cases) {
    test(`${text} in ${country ?? 'no country'}`, () => assert.equal(phoneNumberOf(text, country), number));
  }
});
