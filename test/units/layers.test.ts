import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, test } from 'node:test';

const BELOW = ['base', 'contract'];
/** What features and everything above them may use of rows: keys, drafts, search columns, serializers. */
const ROWS = [...BELOW, 'rows'];
/** What each part may import besides itself, as its README says. Imports go up the table of ARCHITECTURE.md. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  contract: ['base'],
  rows: BELOW,
  // HTML that pages share.
  markup: ['base'],
  // Every word that pages show.
  texts: BELOW,
  // Features: one a document or topic.
  'features/platform': ROWS,
  'features/auth': [...ROWS, 'features/platform', 'markup', 'texts'],
  // Account administration takes ids as registration does.
  'features/ads': [...ROWS, 'features/platform'],
  'features/media': ROWS,
  // Imports look up the targeting values and countries of the reference data.
  'features/audiences': [...ROWS, 'features/ads'],
  // Delivery is of line items, to people of the directory.
  'features/delivery': [...ROWS, 'features/ads', 'features/platform'],
  'features/activity': [...ROWS, 'features/platform'],
  'features/keywords': [...ROWS, 'features/ads'],
  // What declarations mean, and where rows are kept.
  engine: ROWS,
  storage: ROWS,
  settings: ['base'],
  http: [...BELOW, 'engine', 'texts'],
  // Pages for people who do not program: they call operations as requests do.
  console: [...BELOW, 'markup', 'texts'],
  // Scripts of pages, which run in browsers; they read files of people as the command does.
  'console/islands': [...BELOW, 'features/audiences', 'console', 'texts'],
  // Operators do what commands do.
  'console/operator': [...ROWS, 'features', 'markup', 'console', 'texts'],
  // Development mode makes worlds as calls would, and samples of people and posts.
  dev: [
    ...ROWS,
    'engine',
    'features/platform',
    'features/ads',
    'features/auth',
    'features/audiences',
    'features/delivery',
    'features/media',
    'http',
    'markup',
    'texts',
  ],
  // Copies of everything: archives, and databases that are filled from them.
  backup: [...BELOW, 'storage'],
  // The composition root puts everything together.
  app: [...ROWS, 'features', 'engine', 'storage', 'settings', 'http', 'backup', 'console'],
  cli: [...BELOW, 'features', 'engine', 'storage', 'settings', 'http', 'dev', 'backup', 'app'],
  // What other people's tests load, also with an older Node.js.
  testing: [],
  version: [],
  main: ['cli'],
};

/** The unit of work and its tables: whoever knows the contract may import their types. @source decision 1320 */
const TABLES = /^src\/storage\/(unit-of-work|tables\/[\w-]+)\.ts$/;

interface Import {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** Whether it is a type of a table. */
  readonly isTable: boolean;
}

const root = 'src';

/** The part that a file belongs to: its folder, that of its feature, or its name when it stands alone. */
function partOf(file: string): string {
  const [folder, feature] = relative(root, file).split('/');
  return folder === 'features' || `${folder}/${feature}` in MAY_IMPORT
    ? `${folder}/${feature}`
    : folder!.replace(/\.ts$/, '');
}

function mayImport(allowed: readonly string[], to: string): boolean {
  return allowed.some((part) => part === to || to.startsWith(`${part}/`));
}

/** Every import of a file of ours, type-only ones too. */
function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8');
  const found = text.matchAll(/(?:(^import type [^;]*?)?\bfrom|import)\s*\(?\s*'(\.[^']+\.tsx?)'/gm);
  return [...found].map(([, type, path]) => {
    const target = join(dirname(file), path!);
    return { file, from: partOf(file), to: partOf(target), isTable: type !== undefined && TABLES.test(target) };
  });
}

const files = globSync('src/**/*.{ts,tsx}');
const imports = files.flatMap(importsOf);

describe('the layers', () => {
  test('every part has its row in the table', () => {
    const parts = new Set(files.map(partOf));
    assert.deepEqual([...parts].sort(), Object.keys(MAY_IMPORT).sort());
  });

  test('ARCHITECTURE.md links to the README of every part', () => {
    const links = readFileSync('ARCHITECTURE.md', 'utf8').matchAll(/\]\(src\/([^)]+)\/README\.md\)/g);
    const folders = Object.keys(MAY_IMPORT).filter((part) => existsSync(`${root}/${part}`));
    assert.deepEqual(
      [...links].map(([, part]) => part!).sort(),
      folders.filter((part) => !part.startsWith('console/')).sort(),
    );
  });

  for (const [part, allowed] of Object.entries(MAY_IMPORT)) {
    if (existsSync(`${root}/${part}`)) {
      test(`the README of ${part} lists the same`, () => {
        const [, listed] = /^May import: (.+)\.$/m.exec(readFileSync(`${root}/${part}/README.md`, 'utf8')) ?? [];
        assert.equal(listed, allowed.map((each) => `\`${each}\``).join(', ') || 'nothing');
      });
    }
    test(`${part} imports ${allowed.join(', ') || 'nothing of ours'}`, () => {
      const wrong = imports
        .filter(({ from, to }) => from === part && to !== part && to !== 'version' && !mayImport(allowed, to))
        .filter(({ isTable }) => !isTable || !(part === 'contract' || allowed.includes('contract')))
        .map(({ file, to }) => `${file} imports ${to}`);
      assert.deepEqual(wrong, []);
    });
  }

  test('no file imports what does not exist, and none is imported by nobody', () => {
    const used = new Set(
      // The build writes what is generated from declarations.
      [...files, ...globSync('build/**/*.ts')].flatMap((file) =>
        [...readFileSync(file, 'utf8').matchAll(/(?:from|import|new URL)\s*\(?\s*'(\.[^']+\.tsx?)'/g)].map(([, path]) =>
          join(dirname(file), path!),
        ),
      ),
    );
    const missing = [...used].filter((file) => file.startsWith('src/') && !files.includes(file));
    assert.deepEqual(missing, []);
    // Entry points: the program, and the scripts of the package and of pages; declarations of types are not imported.
    const started = `${readFileSync('package.json', 'utf8')} ${readFileSync('bin/barker.js', 'utf8')}`;
    const isStarted = (file: string): boolean =>
      /\.d\.ts$|^src\/console\/islands\/[^/]+\/start\.tsx$/.test(file) ||
      [file, file.replace('src/', 'dist/').replace(/\.ts$/, '.js')].some((path) => started.includes(`/${path}`));
    const unused = files.filter((file) => !used.has(file) && !isStarted(file));
    assert.deepEqual(unused, []);
  });

  test('nothing is imported in a circle', () => {
    const next = new Map<string, string[]>();
    for (const file of files) {
      // Types are gone when the program runs.
      const found = readFileSync(file, 'utf8').matchAll(/^(?:import|export)(?! type)[^;]*? from '(\.[^']+)'/gm);
      next.set(
        file,
        [...found].map(([, path]) => join(dirname(file), path!)),
      );
    }
    const done = new Set<string>();
    const visit = (file: string, path: readonly string[]): void => {
      assert.ok(!path.includes(file), [...path.slice(path.indexOf(file)), file].join(' -> '));
      if (done.has(file)) return;
      for (const each of next.get(file) ?? []) visit(each, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
  });

  test('the debugger of signatures needs no server', () => {
    const seen = new Set<string>();
    const visit = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      const text = readFileSync(file, 'utf8');
      assert.doesNotMatch(text, /^import (?!type)[^;]*? from '(node:http|fastify|pino|undici)'/m, file);
      // Types are gone when the program runs.
      for (const [, path] of text.matchAll(/^(?:import|export)(?! type)[^;]*? from '(\.[^']+)'/gm)) {
        visit(join(dirname(file), path!));
      }
    };
    for (const name of ['described-request', 'explain']) visit(`${root}/dev/signatures/${name}.ts`);
    const parts = new Set([...seen].map(partOf));
    assert.deepEqual([...parts].sort(), ['base', 'dev', 'features/auth']);
  });

  test('serve loads no tools for developers', () => {
    const seen = new Set<string>();
    const visit = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      const text = readFileSync(file, 'utf8');
      // Also what is loaded later; types are gone when the program runs.
      const found = text.matchAll(/(?:^(?:import|export)(?! type)[^;]*? from |\bimport\()'(\.[^']+)'/gm);
      for (const [, path] of found) visit(join(dirname(file), path!));
    };
    visit(`${root}/cli/serve.ts`);
    assert.ok(seen.has(`${root}/http/pipeline.ts`));
    assert.deepEqual(
      [...seen].filter((file) => partOf(file) === 'dev'),
      [],
    );
  });

  test('methods that reads may call write nothing', () => {
    const wrong = files
      .filter((file) => TABLES.test(file))
      .flatMap((file) =>
        [...readFileSync(file, 'utf8').matchAll(/^ {2}(?:async )?((?:find|list|has)\w*|page)\([\s\S]*?^ {2}\}$/gm)]
          .filter(([text]) => /\b(run|runRaw|insertRows|updateRows|removeOldest|takeNumbers|forUpdate)\(/.test(text))
          .map(([, name]) => `${file}: ${name}`),
      );
    assert.deepEqual(wrong, []);
  });

  const rules: [what: string, parts: (part: string) => boolean, pattern: RegExp][] = [
    ['only the storage speaks SQL', (part) => part !== 'storage', /from '(kysely|pg|node:sqlite)'/],
    ['the engine knows no resource', (part) => part === 'engine', /campaign|funding_?instrument/i],
    [
      'features and the engine do not speak HTTP',
      (part) => mayImport([...BELOW, 'features', 'engine', 'storage'], part),
      /from '(fastify|node:http|[./]+base\/node-http\.ts)'/,
    ],
    // The start of each server would load a lot more; other people's tests load `testing`, with an older Node.js.
    [
      'what is costly to load is imported in parts',
      (part) => part !== 'testing',
      /^import (?!type )[^;]*? from '(node:http|prom-client)'/m,
    ],
  ];
  for (const [what, isMeant, pattern] of rules) {
    test(what, () => {
      const wrong = files.filter((file) => isMeant(partOf(file)) && pattern.test(codeOf(file)));
      assert.deepEqual(wrong, []);
    });
  }
});

/** Without comments: examples may name what the code must not know. */
function codeOf(file: string): string {
  return readFileSync(file, 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/.*$/gm, '');
}
