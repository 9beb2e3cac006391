// What documents, messages, pages and examples tell people to run.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { instructions } from '../rig/instructions.ts';

const texts = instructions();

/** Where something is said, with what surrounds it. */
function said(pattern: RegExp, but: RegExp = /^$/): string[] {
  return [...texts].flatMap(([file, text]) =>
    [...text.matchAll(pattern)].flatMap(({ 0: found, index }) => {
      const around = text.slice(Math.max(0, index - 60), index + found.length + 60).replaceAll('\n', ' ');
      return but.test(`${file}: ${around}`) ? [] : [`${file}: ${around}`];
    }),
  );
}

test('all kinds of texts are looked at', () => {
  for (const file of [
    'README.md',
    'docs/generated/endpoints.md',
    'src/cli/dev.ts',
    'src/dev/worlds/starter.yaml',
    'src/http/reference/snippets/receiver.mjs',
  ]) {
    assert.ok(texts.has(file), file);
  }
});

describe('nothing downloads a package that the project does not own', () => {
  test('npx runs what is installed', () => {
    assert.deepEqual(said(/\bnpx\b(?![\s'",[]+--no-install['",\s]+barker\b)/g), []);
  });

  test('neither do others', () => {
    assert.deepEqual(said(/\b(npm (exec|x|init|create)|(pnpm|yarn) dlx|pnpx|bunx)\b/g), []);
    assert.deepEqual(said(/\bnpm (i|install|add)( --?\S+( \/\S+)?)* barker\b/g), []);
  });

  test('imports name the scope', () => {
    assert.deepEqual(said(/(?<![@\w/-])barker\/(testing|client)\b/g), []);
  });
});

describe('nothing is cured by deleting data', () => {
  test('--reset is named with what it deletes', () => {
    assert.deepEqual(said(/--reset\b/g, /delete|survives|totp/i), []);
  });

  test('no message or document asks for it', () => {
    assert.deepEqual(said(/\b(start|starts|started|begun)( it)? anew\b/g), []);
    assert.deepEqual(said(/[;:,] (remove|delete|drop|wipe|empty) \$\{/g), []);
    assert.deepEqual(said(/^ *rm -/gm, /rm -r \/var\/lib\/barker-trial/), []);
  });
});
