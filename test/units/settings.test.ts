import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { settingsMarkdown } from '../../build/docs/settings.ts';
import { isLoopbackHost } from '../../src/settings/addresses.ts';
import { describeSettings } from '../../src/settings/describe.ts';
import type { Mode, SettingEntry } from '../../src/settings/kinds.ts';
import { loadSettings, SettingsError } from '../../src/settings/load.ts';
import { type SettingName, settingsTable } from '../../src/settings.ts';

const KEY = 'ab'.repeat(32);
const OTHER_KEY = 'cd'.repeat(32);

interface Setup {
  mode?: Mode;
  file?: string;
  environment?: Record<string, string | undefined>;
  flags?: Record<string, unknown>;
  files?: Record<string, string> | undefined;
}

function load({ mode = 'dev', file, environment = {}, flags = {}, files = {} }: Setup) {
  const readFile = (path: string) => {
    const content = files[path];
    if (content === undefined) throw new Error(`no such file: ${path}`);
    return content;
  };
  return loadSettings({ mode, file, environment, flags, readFile });
}

function problemsOf(setup: Setup): readonly string[] {
  try {
    load(setup);
  } catch (error) {
    assert.ok(error instanceof SettingsError);
    assert.equal(error.message, error.problems.join('\n'));
    return error.problems;
  }
  return [];
}

const config = (content: unknown): Setup => ({ file: 'c.json', files: { 'c.json': JSON.stringify(content) } });

describe('sources', () => {
  const { files } = config({ port: 1001 });
  const input: [name: string, setup: Setup, port: number, source: string][] = [
    ['nothing', {}, 8080, 'default'],
    ['a file', { file: 'c.json', files }, 1001, 'file'],
    ['a file named by the environment', { environment: { BARKER_CONFIG: 'c.json' }, files }, 1001, 'file'],
    ['a variable', { file: 'c.json', files, environment: { BARKER_PORT: '1002' } }, 1002, 'environment'],
    ['a flag', { environment: { BARKER_PORT: '1002' }, flags: { port: '1003' } }, 1003, 'flag'],
    ['a parsed flag', { flags: { port: 1003 } }, 1003, 'flag'],
    ['an undefined flag', { flags: { port: undefined } }, 8080, 'default'],
    ['other variables', { environment: { PORT: '1', HOME: '/root', BARKER_CONFIG: '' } }, 8080, 'default'],
    ['an absent variable', { environment: { BARKER_PORT: undefined } }, 8080, 'default'],
  ];
  for (const [name, setup, port, source] of input) {
    test(`${name} gives the port ${port}`, () => {
      const settings = load(setup);
      assert.equal(settings.port, port);
      assert.equal(describeSettings(settings).find((row) => row.name === 'port')?.source, source);
    });
  }

  test('a flag names a file before the environment does', () => {
    const both = { 'a.json': '{"port":1}', 'b.json': '{"port":2}' };
    assert.equal(load({ file: 'a.json', environment: { BARKER_CONFIG: 'b.json' }, files: both }).port, 1);
  });

  const secrets: [name: string, content: string, value: string][] = [
    ['as it is', KEY, KEY],
    ['without the trailing newline', `${KEY}\n`, KEY],
    ['without the trailing carriage return and newline', `${KEY}\r\n`, KEY],
  ];
  for (const [name, content, value] of secrets) {
    test(`a secret comes from its file ${name}`, () => {
      const environment = { BARKER_MASTER_KEY_FILE: '/run/key' };
      assert.equal(load({ environment, files: { '/run/key': content } }).master_key, value);
    });
  }

  test('settings are frozen', () => assert.ok(Object.isFrozen(load({}))));
});

describe('values', () => {
  const read: [name: SettingName, text: string, value: unknown][] = [
    ['metrics', 'false', false],
    ['trusted_proxies', '10.0.0.0/8, ::1,', ['10.0.0.0/8', '::1']],
    ['trusted_proxies', '', []],
    ['public_base_url', 'https://ads.example.test/', 'https://ads.example.test'],
    ['public_base_url', 'http://localhost:8080', 'http://localhost:8080'],
    ['database_url', 'postgresql:///barker?host=/run/pg', 'postgresql:///barker?host=/run/pg'],
    ['database_url', '', ''],
    ['host', '::', '::'],
    ['rate_limits', 'off', 'off'],
    ['master_keys_old', `k0:${OTHER_KEY}`, [`k0:${OTHER_KEY}`]],
    ['seed', '0', 0],
    ['tls_names', 'ads.test, 10.0.0.1', ['ads.test', '10.0.0.1']],
  ];
  for (const [name, text, value] of read) {
    test(`${name} reads "${text}"`, () => {
      assert.deepEqual(load({ environment: { [`BARKER_${name.toUpperCase()}`]: text } })[name], value);
    });
  }

  test('a file may hold a list as an array', () => {
    assert.deepEqual(load(config({ trusted_proxies: ['10.0.0.1'] })).trusted_proxies, ['10.0.0.1']);
  });

  const refused: [name: SettingName, ...texts: string[]][] = [
    ['data_folder', '', ' '],
    ['database_url', 'mysql://x', 'postgres', 'file:x'],
    ['host', '', '[::1]', 'a b', 'http://x'],
    ['port', '', '-1', '65536', '80.5', '8080 ', '1e3', 'x', '99999999999999999999'],
    ['metrics', '', 'yes', '1', 'True'],
    [
      'public_base_url',
      'ads.example.test',
      'http://ads.example.test',
      'https://a.test/x',
      'https://a.test/?q'.concat('=1'),
    ],
    ['public_base_url', 'https://user@a.test', 'https://a.test/#x', 'ftp://localhost'],
    ['trusted_proxies', 'proxy', '10.0.0.0/33', '::1/129', '10.0.0.0/', '10.0.0.0/8/8', 'fe80::1%eth0'],
    ['master_key', 'short', `${KEY}00`],
    ['master_key_id', '', 'K1', 'k'.repeat(17)],
    ['master_keys_old', KEY, `k0:${KEY},k0:${OTHER_KEY}`, 'k0:short'],
    ['timestamp_window_s', '0', '3601'],
    ['rate_limits', 'true', ''],
    ['log_level', 'trace'],
    ['seed', '-1', '9007199254740992'],
    ['tls', 'yes', ''],
    ['tls_names', 'a b', 'https://a.test'],
    ['event_retention_s', '299', '2592001'],
    ['stream_keep_alive_s', '0', '20'],
    ['webhook_retry_schedule', '0', '3,x', '604801', Array(21).fill('3').join()],
    ['webhook_private_ranges', 'inside', '10.0.0.0/33'],
    ['webhook_egress_proxy', 'proxy.test:3128', 'https://proxy.test/path'],
    ['legacy_replay_sunset', 'soon', '2026-03-25T15:59:59Z'],
  ];
  for (const [name, ...texts] of refused) {
    for (const text of texts) {
      test(`${name} refuses "${text}"`, () => {
        const [problem = '', ...more] = problemsOf({ environment: { [`BARKER_${name.toUpperCase()}`]: text } });
        assert.deepEqual(more, []);
        assert.ok(problem.startsWith(`BARKER_${name.toUpperCase()} (environment): expected `), problem);
        const quoted = problem.endsWith(`, got ${JSON.stringify(text)}`);
        assert.equal(quoted, !('secret' in settingsTable[name] && settingsTable[name].secret), problem);
      });
    }
  }

  for (const content of [
    { port: '8080' },
    { metrics: 'true' },
    { host: 1 },
    { host: null },
    { trusted_proxies: [1] },
  ]) {
    test(`a file refuses ${JSON.stringify(content)}`, () => assert.equal(problemsOf(config(content)).length, 1));
  }

  for (const mode of ['dev', 'serve'] as const) {
    test(`every default of ${mode} is a valid value`, () => {
      const known = load({ mode, environment: { BARKER_MASTER_KEY: KEY } });
      const ofOther = (name: string) => {
        const entry: SettingEntry = settingsTable[name as SettingName];
        return entry.onlyIn !== undefined && entry.onlyIn !== mode;
      };
      const skipped: string[] = ['master_key', ...Object.keys(settingsTable).filter(ofOther)];
      const input = Object.entries(known).filter(([name]) => !skipped.includes(name));
      assert.deepEqual(
        load({ mode, environment: { BARKER_MASTER_KEY: KEY }, flags: Object.fromEntries(input) }),
        known,
      );
    });
  }
});

describe('problems', () => {
  const serve = (more: Record<string, string>): Setup => ({
    mode: 'serve',
    environment: { BARKER_MASTER_KEY: KEY, ...more },
  });
  const cases: [input: string, setup: Setup, problems: string[]][] = [
    ['a mistyped key in the file', config({ prot: 1 }), ['prot (file c.json): unknown setting; did you mean port?']],
    [
      'a mistyped variable',
      { environment: { BARKER_DATA_FOLDR: 'x' } },
      ['BARKER_DATA_FOLDR (environment): unknown setting; did you mean BARKER_DATA_FOLDER?'],
    ],
    [
      'a variable in small letters',
      { environment: { BARKER_port: '1' } },
      ['BARKER_port (environment): unknown setting; did you mean BARKER_PORT?'],
    ],
    [
      'a mistyped variable of a secret file',
      { environment: { BARKER_MASTERKEY_FILE: 'x' } },
      ['BARKER_MASTERKEY_FILE (environment): unknown setting; did you mean BARKER_MASTER_KEY_FILE?'],
    ],
    ['a mistyped flag', { flags: { hots: 'x' } }, ['--hots (flag): unknown setting; did you mean --host?']],
    ['a key like no other', config({ zzzzzzzz: 1 }), ['zzzzzzzz (file c.json): unknown setting']],
    ['a key that every object has', config({ toString: 1 }), ['toString (file c.json): unknown setting']],
    ['a file that is absent', { file: 'x.json' }, ['file x.json: cannot be read']],
    [
      'a file that is no JSON',
      { file: 'c', files: { c: `{"master_key": ${KEY}}` } },
      ['file c: expected a JSON object of settings'],
    ],
    ['a file that is a list', config([]), ['file c.json: expected a JSON object of settings']],
    [
      'a secret given twice',
      { environment: { BARKER_MASTER_KEY: KEY, BARKER_MASTER_KEY_FILE: 'k' }, files: { k: KEY } },
      ['BARKER_MASTER_KEY_FILE (environment): cannot be combined with BARKER_MASTER_KEY'],
    ],
    [
      'a secret file that is absent',
      { mode: 'serve', environment: { BARKER_MASTER_KEY_FILE: KEY } },
      ['BARKER_MASTER_KEY_FILE (environment): cannot read the file that it names'],
    ],
    [
      'serve without a master key',
      { mode: 'serve' },
      [
        'master_key: required in serve; expected 64 hex characters or base64 of 32 bytes, in BARKER_MASTER_KEY or in the ' +
          'file that BARKER_MASTER_KEY_FILE names; make one with: openssl rand -hex 32',
      ],
    ],
    ['serve with a seed', serve({ BARKER_SEED: '1' }), ['BARKER_SEED (environment): is for dev only, not serve']],
    [
      'serve on all addresses without its public one',
      serve({ BARKER_HOST: '0.0.0.0', BARKER_TRUSTED_PROXIES: '10.0.0.1' }),
      ['public_base_url: required in serve because host 0.0.0.0 is not loopback'],
    ],
    [
      'serve on all addresses without a proxy',
      serve({ BARKER_HOST: '0.0.0.0', BARKER_PUBLIC_BASE_URL: 'https://a.test' }),
      ['trusted_proxies: required, or tls_cert, in serve because host 0.0.0.0 is not loopback'],
    ],
    [
      'serve on all addresses with a certificate',
      serve({
        BARKER_HOST: '0.0.0.0',
        BARKER_PUBLIC_BASE_URL: 'https://a.test',
        BARKER_TLS_CERT: 'c.pem',
        BARKER_TLS_KEY: 'k.pem',
      }),
      [],
    ],
    ['a certificate without its key', serve({ BARKER_TLS_CERT: 'c.pem' }), ['tls_key: required when tls_cert is set']],
    ['a key without its certificate', serve({ BARKER_TLS_KEY: 'k.pem' }), ['tls_cert: required when tls_key is set']],
    [
      'Redis beside SQLite',
      { environment: { BARKER_REDIS_URL: 'redis://127.0.0.1:6379' } },
      ['redis_url: requires a PostgreSQL database; set database_url too'],
    ],
    [
      'a bucket without a key',
      { environment: { BARKER_OBJECT_STORE: 's3://media/production' } },
      [
        'object_store_key_id: required when object_store is a bucket; expected printable characters without spaces',
        'object_store_secret: required when object_store is a bucket; expected printable characters without spaces, in BARKER_OBJECT_STORE_SECRET or in the file that BARKER_OBJECT_STORE_SECRET_FILE names',
      ],
    ],
    [
      'a key without a bucket',
      {
        environment: {
          BARKER_OBJECT_STORE: '/srv/objects',
          BARKER_OBJECT_STORE_ENDPOINT: 'https://s3.test',
          BARKER_OBJECT_STORE_SECRET: 'hunter2',
        },
      },
      [
        'object_store_endpoint: requires a bucket; set object_store to s3:// and its name',
        'object_store_secret: requires a bucket; set object_store to s3:// and its name',
      ],
    ],
    [
      'an object store that is neither a bucket nor an absolute path, at an address with a path',
      { environment: { BARKER_OBJECT_STORE: 'media', BARKER_OBJECT_STORE_ENDPOINT: 'https://s3.test/media' } },
      [
        'BARKER_OBJECT_STORE (environment): expected s3:// with the name of a bucket and, optionally, a prefix of its keys; or an absolute path of a folder, got "media"',
        'BARKER_OBJECT_STORE_ENDPOINT (environment): expected an http:// or https:// address without path, query or user, got "https://s3.test/media"',
      ],
    ],
    [
      'an address of Redis with options of its client',
      { environment: { BARKER_REDIS_URL: 'redis://:hunter2@127.0.0.1/0?enableOfflineQueue=true' } },
      [
        'BARKER_REDIS_URL (environment): expected a redis:// or rediss:// address, with a database number or none as its path, got a secret that is not shown here',
      ],
    ],
    ['a certificate in dev', { flags: { tls_cert: 'c.pem' } }, ['--tls-cert (flag): is for serve only, not dev']],
    [
      'a certificate of its own making in serve',
      serve({ BARKER_TLS: 'true' }),
      ['BARKER_TLS (environment): is for dev only, not serve'],
    ],
    ['a setting of serve in dev', { flags: { tls_cert: '/x' } }, ['--tls-cert (flag): is for serve only, not dev']],
    ['a bad folder', { flags: { data_folder: '' } }, ['--data (flag): expected a path of a folder, got ""']],
    [
      'one port for probes and callers',
      serve({ BARKER_PORT: '9000', BARKER_OPERATIONS_PORT: '9000' }),
      ['operations_port: 9000 is also the port of another listener'],
    ],
    [
      'serve on all addresses with plain http',
      serve({
        BARKER_HOST: '::',
        BARKER_PUBLIC_BASE_URL: 'https://a.test',
        BARKER_TRUSTED_PROXIES: '10.0.0.1',
        BARKER_ALLOW_INSECURE_LOOPBACK: 'true',
      }),
      ['allow_insecure_loopback: true is refused in serve because host :: is not loopback'],
    ],
    ['serve on loopback', serve({ BARKER_ALLOW_INSECURE_LOOPBACK: 'true' }), []],
    ['dev on all addresses', { environment: { BARKER_HOST: '0.0.0.0' } }, []],
    ['one port twice', { flags: { port: 9000, sandbox_port: 9000 } }, ['sandbox_port: 9000 is also the main port']],
    ['two free ports', { flags: { port: 0, sandbox_port: 0 } }, []],
    [
      'the current key among old ones',
      { flags: { master_keys_old: `k1:${KEY}` } },
      ['master_keys_old: holds a key of the current id k1'],
    ],
    [
      'several mistakes at once',
      { ...config({ port: 'x', hst: 1 }), environment: { BARKER_SEED: 'x' }, flags: { metrics: 'maybe' } },
      [
        'hst (file c.json): unknown setting; did you mean host?',
        'port (file c.json): expected an integer from 0 to 65535, got "x"',
        'BARKER_SEED (environment): expected an integer from 0 to 9007199254740991, got "x"',
        '--metrics (flag): expected true or false, got "maybe"',
      ],
    ],
    [
      'a mistake that a later source overrides',
      { environment: { BARKER_PORT: 'x' }, flags: { port: 1 } },
      ['BARKER_PORT (environment): expected an integer from 0 to 65535, got "x"'],
    ],
  ];
  for (const [input, setup, problems] of cases) {
    test(`${input}: ${problems.length} reported`, () => assert.deepEqual(problemsOf(setup), problems));
  }
});

describe('shown settings', () => {
  test('secrets are hidden', () => {
    const rows = describeSettings(load({ environment: { BARKER_MASTER_KEY: KEY } }));
    const shown = (name: SettingName) => rows.find((row) => row.name === name)?.value;
    assert.equal(shown('master_key'), '(set)');
    assert.equal(shown('database_url'), '(not set)');
    assert.equal(shown('master_keys_old'), '(not set)');
    assert.equal(shown('port'), '8080');
    assert.ok(!JSON.stringify(rows).includes(KEY));
  });

  test('serve shows no setting of dev', () => {
    const rows = describeSettings(load({ mode: 'serve', environment: { BARKER_MASTER_KEY: KEY } }));
    const entries: [string, SettingEntry][] = Object.entries(settingsTable);
    const own = entries.filter(([, entry]) => entry.onlyIn !== 'dev').map(([name]) => name);
    assert.deepEqual(
      rows.map((row) => row.name),
      own,
    );
    assert.ok(!own.includes('seed'));
  });

  test('a copy has no known sources', () => assert.throws(() => describeSettings({ ...load({}) }), /not loaded by/));

  test('the tables have one row of four cells for each setting', () => {
    const lines = settingsMarkdown()
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    assert.deepEqual(lines.map((line) => line.split('`')[1]).sort(), Object.keys(settingsTable).sort());
    for (const line of lines) assert.equal(line.split('|').length, 6, line);
    assert.match(settingsMarkdown(), /`allow_insecure_loopback` \| true or false \| `false`, in dev `true`/);
  });
});

describe('loopback hosts', () => {
  const hosts: [host: string, loopback: boolean][] = [
    ['localhost', true],
    ['127.0.0.1', true],
    ['127.9.9.9', true],
    ['::1', true],
    ['[::1]', true],
    ['0.0.0.0', false],
    ['::', false],
    ['127.evil.test', false],
    ['localhost.evil.test', false],
  ];
  for (const [host, loopback] of hosts) {
    test(`${host}: ${loopback}`, () => assert.equal(isLoopbackHost(host), loopback));
  }
});
