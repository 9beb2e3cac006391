// On either database: completion asks none.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { before, describe, test } from 'node:test';
import type { Command } from 'commander';
import { fullProgram } from '../../src/cli/program.ts';
import { barker } from './program.ts';

describe('barker completion bash', () => {
  let script = '';
  before(async () => {
    script = (await barker(['completion', 'bash'])).stdout;
  });

  /** What bash completes after each line, in the order of the lines. */
  function completed(lines: readonly (readonly string[])[]): string[][] {
    const asked = lines.map((words) => {
      const quoted = ['barker', ...words].map((word) => `'${word}'`).join(' ');
      return `COMP_WORDS=(${quoted}) COMP_CWORD=${words.length} COMPREPLY=()\n_barker\necho "\${COMPREPLY[*]}"`;
    });
    const { stdout, stderr, status } = spawnSync('bash', ['--norc', '-u', '-c', [script, ...asked].join('\n')]);
    assert.deepEqual([status, String(stderr)], [0, '']);
    return String(stdout)
      .split('\n')
      .slice(0, lines.length)
      .map((line) => line.split(' ').filter(Boolean));
  }

  test('completes every command, and every option that its help shows', async () => {
    const levels: { words: string[]; command: Command }[] = [{ words: [], command: await fullProgram() }];
    for (const { words, command } of levels) {
      levels.push(...command.commands.map((each) => ({ words: [...words, each.name()], command: each })));
    }
    const commands = completed(levels.map(({ words }) => [...words, '']));
    const options = completed(levels.map(({ words }) => [...words, '--']));
    for (const [index, { words, command }] of levels.entries()) {
      const at = words.join(' ');
      const names = command.commands.map((each) => each.name());
      const choices = command.registeredArguments.flatMap((each) => each.argChoices ?? []);
      assert.deepEqual(commands[index], [...names, ...choices], at);
      const shown = command.options.filter(({ hidden }) => !hidden).map(({ long }) => long);
      assert.deepEqual(options[index], ['--help', ...shown], at);
    }
  });

  for (const [line, ...expected] of [
    ['us', 'user'],
    ['user su', 'suspend'],
    ['user profile ada --verified b', 'blue', 'business'],
    // The value of an option is no command, and files are completed there.
    ['backup --data serve --fi'],
    ['dev --data '],
    ['dev --data clock --exp', '--export-on-exit'],
    ['completion z', 'zsh'],
  ] as const) {
    test(`after "barker ${line}": ${expected.join(', ') || 'nothing of its own'}`, () => {
      assert.deepEqual(completed([line.split(' ')]), [expected]);
    });
  }
});

describe('barker completion', () => {
  test('fish gets each command with its description', async () => {
    const { stdout } = await barker(['completion', 'fish']);
    const line =
      "complete -c barker -n '__fish_seen_subcommand_from aliases; and not __fish_seen_subcommand_from init' -f -a init -d ";
    assert.ok(stdout.includes(line));
  });

  test('zsh gets the functions of bash', async () => {
    const [zsh, bash] = [await barker(['completion', 'zsh']), await barker(['completion', 'bash'])];
    assert.equal(zsh.stdout, `autoload -U +X bashcompinit && bashcompinit\n${bash.stdout}`);
  });

  test('another shell is refused', async () => {
    const { code, stderr } = await barker(['completion', 'tcsh']);
    assert.equal(code, 2);
    assert.match(stderr, /Allowed choices are bash, zsh, fish/);
  });
});
