import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';

const documents = [
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'docs/activity.md',
  'docs/glossary.md',
  'docs/security.md',
  'docs/streams.md',
  ...globSync('src/**/README.md', { exclude: ['src/features/ads/reference/tables/README.md'] }),
];
/** Files that a running server makes, and those of the package. */
const MADE = ['release/', 'dev.json', 'sbom.cdx.json'];
const roots = readdirSync('.', { withFileTypes: true });
const suites = readdirSync('test');

/** Whether a text in backquotes names a file or folder of ours: by its ending, or by the folder that it begins with. */
function isPath(text: string): boolean {
  if (!/^[\w.-]+(\/[\w.-]+)*\/?$/.test(text)) return false;
  const [first] = text.split('/', 1);
  const isInside = text.includes('/') && (roots.some(({ name }) => name === first) || suites.includes(first!));
  return isInside || text.endsWith('/') || /\.(ts|js|json|md|css|html|yaml|bin)$/.test(text);
}

/** A path from the root or the document; a folder also from `src/` or its folders; a test without its ending. */
function exists(path: string, document: string): boolean {
  if (existsSync(path) || existsSync(join(dirname(document), path)) || MADE.includes(path)) return true;
  if (path.endsWith('/')) return globSync([`src/${path}`, `src/*/${path}`]).length > 0;
  return globSync(`test/${path.replace(/\.wider$/, '')}.{test,wider}.ts`).length > 0;
}

describe('the paths in the documents about the code', () => {
  for (const document of documents) {
    test(document, () => {
      const texts = [...readFileSync(document, 'utf8').matchAll(/`([^`\n]+)`/g)].map(([, text]) => text!);
      const paths = [...new Set(texts.filter(isPath))];
      assert.ok(paths.length > 0);
      assert.deepEqual(
        paths.filter((path) => !exists(path, document)),
        [],
      );
    });
  }
});

test('the paths in the comments of src exist', () => {
  const wrong = globSync('src/**/*.ts').flatMap((file) => {
    const comments = readFileSync(file, 'utf8').match(/^\s*(\/\*\*|\*|\/\/).*$/gm) ?? [];
    const paths = comments.flatMap((line) =>
      [...line.matchAll(/`([\w.-]+(?:\/[\w.-]+)+\.(?:ts|md))`/g)].map(([, path]) => path!),
    );
    return paths.filter((path) => !existsSync(path) && !existsSync(`src/${path}`)).map((path) => `${file}: ${path}`);
  });
  assert.deepEqual(wrong, []);
});
