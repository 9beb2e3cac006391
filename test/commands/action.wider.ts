// On either database: the action starts a server with one of its own.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parse } from 'yaml';
import { until } from '../rig/patience.ts';
import { cleanEnvironment, ENTRY } from './program.ts';

interface Step {
  readonly name: string;
  readonly run: string;
  readonly env: Readonly<Record<string, string>>;
}

const action = parse(readFileSync('action.yml', 'utf8'));
const steps: readonly Step[] = action.runs.steps;
const own = JSON.parse(readFileSync('package.json', 'utf8'));

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'barker-action-'));
  mkdirSync(join(folder, 'bin'));
  const program = (name: string, line: string): void =>
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  program('barker', `exec '${process.execPath}' '${ENTRY}' "$@"`);
  const installed = join(folder, 'installed');
  program(
    'npm',
    `case $1 in view) exit $UNPUBLISHED;; pack) echo own.tgz;; install) echo "$@" > '${installed}';; esac`,
  );
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the steps as the runner does: with their inputs in variables, and the file to which they write outputs. */
function runAction(inputs: Readonly<Record<string, string>>, more: Readonly<Record<string, string>> = {}) {
  const output = join(folder, 'output');
  writeFileSync(output, '');
  const given = (text: string): string =>
    text.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name: string) => inputs[name] ?? action.inputs[name].default);
  const path = [join(folder, 'bin'), join(process.execPath, '..'), process.env.PATH].join(':');
  const runner = {
    UNPUBLISHED: '0',
    RUNNER_TEMP: folder,
    GITHUB_ACTION_PATH: resolve('.'),
    GITHUB_OUTPUT: output,
    PATH: path,
  };
  for (const { name, run, env } of steps) {
    const variables = Object.fromEntries(Object.entries(env).map(([key, value]) => [key, given(value)]));
    // A server that a script of npm starts would end with that script.
    const clean = { ...cleanEnvironment(), npm_lifecycle_event: undefined };
    const options = { env: { ...clean, ...runner, ...variables, ...more }, cwd: folder, encoding: 'utf8' } as const;
    const script = join(folder, 'step.sh');
    writeFileSync(script, run);
    const { status, stdout, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], options);
    if (status !== 0) return { failed: name, stdout, stderr, outputs: {} };
  }
  const lines = readFileSync(output, 'utf8').trim().split('\n');
  const outputs = Object.fromEntries(lines.map((line) => [line.split('=', 1)[0]!, line.slice(line.indexOf('=') + 1)]));
  return { outputs, failed: undefined, stdout: '', stderr: '' };
}

const lastInstalled = () => readFileSync(join(folder, 'installed'), 'utf8').trim().split(' ').at(-1);

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('action.yml', () => {
  test('starts a server that accepts its outputs as keys, and goes on after the step', async () => {
    const { outputs, failed, stdout, stderr } = runAction({
      seed: '5',
      options: '--people 0',
      clock: '2026-03-02T09:00:00Z',
    });
    assert.equal(failed, undefined, stdout + stderr);
    assert.deepEqual(Object.keys(outputs).sort(), Object.keys(action.outputs).sort());
    for (const [name, { value }] of Object.entries<{ value: string }>(action.outputs)) {
      assert.equal(value, `\${{ steps.start.outputs.${name} }}`);
    }
    try {
      const keys = ['consumer-key', 'consumer-secret', 'access-token', 'access-token-secret'].map(
        (name) => outputs[name]!,
      );
      const [key, secret, token, tokenSecret] = keys as [string, string, string, string];
      const flags = [
        '--consumer-key',
        key,
        '--consumer-secret',
        secret,
        '--token',
        token,
        '--token-secret',
        tokenSecret,
      ];
      for (const url of [outputs.url!, outputs['sandbox-url']!]) {
        const call = spawnSync(process.execPath, [ENTRY, 'call', 'GET', '/12/accounts', '--url', url, ...flags], {
          encoding: 'utf8',
        });
        assert.equal(call.status, 0, call.stderr);
      }
      const clock = spawnSync(process.execPath, [ENTRY, 'dev', 'clock', 'now', '--data', outputs['data-folder']!], {
        encoding: 'utf8',
      });
      assert.match(clock.stdout, /2026-03-02T09:/);
      assert.match(readFileSync(join(outputs['data-folder']!, 'server.log'), 'utf8'), /^Barker is ready/m);
    } finally {
      process.kill(Number(outputs.pid));
    }
    await until('the server has ended', () => !isRunning(Number(outputs.pid)));
    assert.equal(lastInstalled(), `${own.name}@${own.version}`);
  });

  test('makes the package of its checkout where no such version is published', () => {
    const { failed } = runAction({ options: '--no-such-option' }, { UNPUBLISHED: '1' });
    assert.equal(failed, 'Start');
    assert.equal(lastInstalled(), resolve('own.tgz'));
    assert.equal(runAction({ options: '--no-such-option', version: '1.2.3' }, { UNPUBLISHED: '1' }).failed, 'Start');
    assert.equal(lastInstalled(), `${own.name}@1.2.3`);
  });

  test('fails with the log of a server that does not start', () => {
    const { failed, stdout } = runAction({ options: '--peopel 3' });
    assert.equal(failed, 'Start');
    assert.match(stdout, /^::error::The server did not start\.\n[\s\S]*peopel/);
  });

  test('has no input that no step uses, and every example uses what it has', () => {
    const used = new Set([...JSON.stringify(steps).matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name!));
    assert.deepEqual([...used].sort(), Object.keys(action.inputs).sort());
    const workflow = readFileSync('examples/ci-testing/.github/workflows/test.yml', 'utf8');
    const [, page] = /```yaml\n([\s\S]*?)```/.exec(readFileSync('docs/testing.md', 'utf8'))!;
    for (const [text, list] of [
      [workflow, parse(workflow).jobs.report.steps],
      [page!, parse(page!)],
    ] as const) {
      const outputs = [...text.matchAll(/steps\.barker\.outputs\.([\w-]+)/g)].map(([, name]) => name!);
      assert.equal(outputs.length, 5);
      for (const name of outputs) assert.ok(action.outputs[name], name);
      const { with: given } = list.find(({ id }: { id?: string }) => id === 'barker');
      for (const name of Object.keys(given)) assert.ok(action.inputs[name], name);
    }
  });
});
