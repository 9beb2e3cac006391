import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, test } from 'node:test';

const sources = globSync('src/**/*.ts');
const all = globSync('{src,test,bench,build}/**/*.ts', { exclude: ['bench/node_modules/**'] }).concat(
  globSync('bin/*.js'),
);
const papers = globSync('{*.md,docs/**/*.md,src/**/*.css,src/**/*.html}');

const texts = new Map([...all, ...papers].map((file) => [file, readFileSync(file, 'utf8')]));
const textOf = (file: string): string => texts.get(file) ?? '';

/** Without comments and texts, of which a rule about code should not speak. */
function codeOf(file: string): string {
  return textOf(file)
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/.*$/gm, '');
}

/** What is here writes programs for readers: its texts are code of others. */
const PRINTING = /^src\/(http\/reference\/snippets\/|dev\/snippets\/)/;

/** The code of a file that runs here. */
function runningCodeOf(file: string): string {
  const code = codeOf(file);
  return PRINTING.test(file) ? code.replace(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g, "''") : code;
}

/** Files in which something is said, this one aside. */
function speaking(pattern: RegExp): string[] {
  return [...texts.keys()].filter((file) => file !== 'test/units/tidy.test.ts' && pattern.test(textOf(file)));
}

describe('one owner', () => {
  /**
   * What makes a run unrepeatable, and the only place that may use it; and another in `@barker-ads/server/testing`, which is
   * a program by itself, in the process of somebody else's tests.
   */
  const owned: [what: string, pattern: RegExp, owner: RegExp][] = [
    ['the time', /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\)/, /^src\/(base\/clock|testing\/start)\.ts$/],
    ['randomness', /\b(randomBytes|randomUUID|randomInt|getRandomValues)\b/, /^src\/(base\/random|testing\/send)\.ts$/],
    ['careless randomness', /\bMath\.random\b/, /^$/],
    [
      'timers',
      /\bset(Timeout|Interval)\(|node:timers/,
      /^src\/((base|console\/islands)\/timers|testing\/process)\.ts$/,
    ],
    ['the environment', /\bprocess\.env\b/, /^src\/(cli\/|base\/children\.ts$|testing\/process\.ts$)/],
    ['ending the process', /\bprocess\.exit\b/, /^src\/(cli\/|main\.ts$)/],
    ['the console', /\bconsole\.\w+\(/, /^$/],
  ];
  for (const [what, pattern, owner] of owned) {
    test(what, () => {
      const users = sources.filter((file) => pattern.test(runningCodeOf(file)) && !owner.test(file));
      assert.deepEqual(users, []);
    });
  }
});

describe('names', () => {
  const EMPTY =
    /(^|[^a-z])(utils?|helpers?|common|misc|managers?|services?|impl|data|infos?|told|whoever|nobody)([^a-z]|$)/;
  /** Words that mean something here: a running service, and the folder of the setting `data_folder`. */
  const WORDS = /Services?$|DataFolder/;

  test('of files say something', () => {
    const empty = [...sources, ...all].filter((file) => EMPTY.test(basename(file).replace(/\.\w+$/, '')));
    assert.deepEqual(empty, []);
  });

  test('of exports say something', () => {
    const empty: string[] = [];
    for (const file of sources) {
      for (const [, name] of textOf(file).matchAll(
        /^export (?:async )?(?:const|function|class|interface|type) (\w+)/gm,
      )) {
        const words = name!.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
        if ((EMPTY.test(words) && !WORDS.test(name!)) || /^I[A-Z][a-z]/.test(name!)) empty.push(`${name} in ${file}`);
      }
    }
    assert.deepEqual(empty, []);
  });

  test('of errors are those of their classes', () => {
    const named =
      /^(?:export )?class (\w+) extends \w+ \{\n(?: .*\n|\n)*? +(?:override readonly |this\.)name(?:: string)? = '(\w+)'/gm;
    const errors = sources.flatMap((file) => [...textOf(file).matchAll(named)].map(([, own, said]) => [own, said]));
    assert.ok(errors.length > 10);
    for (const [own, said] of errors) assert.equal(said, own);
  });

  test('are exported by name only', () => {
    assert.deepEqual(
      all.filter((file) => /^export default/m.test(codeOf(file))),
      [],
    );
  });

  test('are of no company', () => {
    const brands = /amazon|twitter|tweet|facebook|instagram|linkedin|tiktok|\bx\.com\b|\bmeta\b platform/i;
    assert.deepEqual(speaking(brands), []);
  });
});

describe('files', () => {
  test('have at most 400 lines', () => {
    const long = all.filter((file) => !file.includes('/generated/') && textOf(file).split('\n').length > 401);
    assert.deepEqual(long, []);
  });

  test('leave nothing for later and switch off no checks', () => {
    assert.deepEqual(speaking(/\b(TODO|FIXME|XXX|HACK)\b|@ts-(ignore|nocheck)/), []);
    // What it says must not compile is checked by `tsc`.
    assert.deepEqual(speaking(/@ts-expect-error/), ['test/units/page-types.ts', 'test/units/table-types.ts']);
    assert.deepEqual(speaking(/\b(test|describe|it)\.(skip|only|todo)\b|\b(skip|todo): true/), []);
  });

  test('name no folder of one machine', () => {
    assert.deepEqual(speaking(/\/(work|root|home\/\w+)\//), []);
  });
});

describe('docstrings', () => {
  test('stand before every export', () => {
    const bare: string[] = [];
    for (const file of sources) {
      const lines = textOf(file).split('\n');
      for (const [index, line] of lines.entries()) {
        if (!/^export (?:async |abstract )?(?:const|let|function|class|interface|type|enum) \w/.test(line)) continue;
        let above = index - 1;
        while (/^\/\/ biome-ignore/.test(lines[above] ?? '')) above -= 1;
        if (!/\*\/$/.test(lines[above] ?? '')) bare.push(`${file}:${index + 1}`);
      }
    }
    assert.deepEqual(bare, []);
  });

  test('say something in their first line', () => {
    for (const file of sources) {
      for (const [whole, body] of textOf(file).matchAll(/\/\*\*([\s\S]*?)\*\//g)) {
        const first = body!.replace(/^[\s*]+/, '').split('\n')[0]!;
        assert.ok(first.length >= 5, `${file}: ${whole}`);
      }
    }
  });
});
