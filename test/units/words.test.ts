import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { allCommands } from '../commands/all-commands.ts';
import { barker } from '../commands/program.ts';

const commands = await allCommands();

describe('help', () => {
  test('names every command and the first steps', async () => {
    const { code, stdout } = await barker(['--help']);
    assert.equal(code, 0);
    const names = new Set(commands.map((each) => each.split(' ')[0]!));
    assert.ok(names.size > 20);
    for (const name of names) assert.match(stdout, new RegExp(`^  ${name} +[A-Z]`, 'm'));
    assert.match(stdout, /First steps:\n {2}barker dev\n/);
  });

  for (const command of commands) {
    test(`of ${command} explains it and has an example with existing options`, async () => {
      const { code, stdout, stderr } = await barker([...command.split(' '), '--help']);
      assert.equal(code, 0);
      assert.equal(stderr, '');
      assert.match(stdout, new RegExp(`^Usage: barker ${command} .*\n\n[A-Z]`));
      const examples = /\nExamples?:\n((?: {2}.*\n)+)/.exec(stdout)?.[1] ?? '';
      assert.match(examples, new RegExp(`^ {2}.*\\bbarker ${command}( |$)`, 'm'), 'an example');
      const [options] = stdout.split('\nExample');
      for (const [, flag] of examples.matchAll(/ --(?:no-)?([a-z-]+)/g)) {
        assert.match(options!, new RegExp(`--(no-)?${flag}\\b`));
      }
    });
  }

  test('of dev shows its options', async () => {
    const { stdout } = await barker(['dev', '--help']);
    for (const flag of ['data', 'port', 'sandbox-port', 'database-url', 'seed', 'reset', 'rate-limits']) {
      assert.match(stdout, new RegExp(`^  --${flag}\\b`, 'm'));
    }
  });

  test('the version is that of the package', async () => {
    const { default: written } = await import('../../package.json', { with: { type: 'json' } });
    assert.equal((await barker(['--version'])).stdout, `${written.version}\n`);
  });
});

describe('usage errors exit with 2 and one helpful line', () => {
  const cases: [args: string[], stderr: RegExp][] = [
    [['devv'], /^barker: unknown command 'devv'\n\(Did you mean dev\?\)\n$/],
    [['dev', '--prot', '1'], /^barker: unknown option '--prot'\n\(Did you mean --port\?\)\n$/],
    [['dev', '--port', 'x'], /^barker: --port \(flag\): expected an integer from 0 to 65535, got "x"\n$/],
    [['dev', 'extra'], /^barker: too many arguments/],
    [['serve', '--seed', '1'], /^barker: unknown option '--seed'\n/],
    [['serve', '--master-key', 'x'], /^barker: unknown option '--master-key'\n/],
    [['serve'], /^barker: master_key: required in serve; .*BARKER_MASTER_KEY_FILE.*: openssl rand -hex 32\n$/],
    [['serve', '--config', '/nowhere/x.json'], /^barker: file \/nowhere\/x\.json: cannot be read\n/],
    [['user'], /^Usage: barker user/],
    [['user', 'crate'], /^barker: unknown command 'crate'\n\(Did you mean create\?\)\n$/],
    [['app', 'create', 'x'], /^barker: required option '--owner <user-name>' not specified\n$/],
    [['call', 'GET'], /^barker: missing required argument 'path'\n$/],
    [['call', 'GET', '/x', '-d', 'novalue', '--consumer-key', 'k'], /^barker: expected name=value, got "novalue"\n$/],
    [['call', 'GET', '/x', '--consumer-key', 'k'], /^barker: --consumer-key needs --consumer-secret\n$/],
    [
      ['sign', 'GET', 'x', '--consumer-key', 'k', '--consumer-secret', 's'],
      /^barker: expected a path that starts with \/, /,
    ],
  ];
  for (const [args, stderr] of cases) {
    test(args.join(' '), async () => {
      const outcome = await barker(args, { cwd: '/' });
      assert.match(outcome.stderr, stderr);
      assert.equal(outcome.code, 2);
      assert.equal(outcome.stdout, '');
    });
  }

  test('a misspelt variable', async () => {
    const { code, stderr } = await barker(['config', 'print'], { env: { BARKER_PROT: '1' } });
    assert.equal(stderr, 'barker: BARKER_PROT (environment): unknown setting; did you mean BARKER_PORT?\n');
    assert.equal(code, 2);
  });

  test('no command shows the help', async () => {
    const { code, stderr } = await barker([]);
    assert.match(stderr, /^Usage: barker /);
    assert.equal(code, 2);
  });
});

describe('failures exit with 1 and one line', () => {
  test('a call to an unreachable server', async () => {
    const args = ['call', 'GET', '/x', '--url', 'http://127.0.0.1:9', '--consumer-key', 'k', '--consumer-secret', 's'];
    const { code, stderr } = await barker(args);
    assert.equal(stderr, 'barker: no server answers at http://127.0.0.1:9; is barker dev running?\n');
    assert.equal(code, 1);
  });

  test('a call without keys', async () => {
    const { code, stderr } = await barker(['call', 'GET', '/x', '--data', '/nowhere']);
    assert.match(stderr, /^barker: \/nowhere\/dev\.json does not exist; start barker dev, .*\n$/);
    assert.equal(code, 1);
  });
});
