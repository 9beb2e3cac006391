import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, test } from 'node:test';
import { readProtocol } from '../conformance/sentences.ts';

/** The page that names every source, by its chapters. */
const chapters = new Map(
  readFileSync('docs/sources.md', 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((chapter) => [chapter.slice(0, chapter.indexOf('\n')), chapter] as const),
);

/** The first cells of a table. */
function firstCells(chapter: string): Set<string> {
  return new Set([...(chapters.get(chapter) ?? '').matchAll(/^\| `?([^|`]+)`? \|/gm)].map(([, cell]) => cell!.trim()));
}

/** The numbers of a numbered list. */
function listed(chapter: string): Set<string> {
  return new Set(
    [...(chapters.get(chapter) ?? '').matchAll(/^ *(?:- (.+)|(\d+)\. .+)$/gm)].map(([, a, b]) => (a ?? b)!),
  );
}

/** The parts of the chapters of decisions that begin with the heading of a decision. */
const entries = globSync('docs/decisions/*.md').flatMap((file) =>
  readFileSync(file, 'utf8')
    .split(/^(?=##)/m)
    .filter((text) => text.startsWith('### '))
    .map((text) => ({ file, text })),
);

/** A heading with anchor and number, the answer, its reason and its sources. */
const ENTRY = /^### <a id="(\d+)"><\/a>(\d+)\. .+\n\n[^-\s][\s\S]*?\n\n- Why: [\s\S]+?\n- Source: (.+)\n*$/;

const decisions = entries.flatMap(({ file, text }) => {
  const [, anchor, number, sources] = ENTRY.exec(text) ?? [];
  return number ? [{ file, anchor, number, sources: sources! }] : [];
});

/** The numbers of sections, by chapter of the protocol. */
const protocol = Object.fromEntries(
  [...Map.groupBy(readProtocol(), ({ id }) => id.split(' ')[0]!)].map(([chapter, sections]) => [
    chapter,
    new Set(sections.map(({ id }) => id.split(' ')[1]!)),
  ]),
);
/** Sections by the name of the document that has them. */
const NUMBERED: Readonly<Record<string, ReadonlySet<string>>> = {
  specification: listed('specification'),
  decision: new Set(decisions.map(({ number }) => number)),
  ...protocol,
};
const rfcs = firstCells('RFCs');
const publications = firstCells('Other publications');

/** What is wrong with one source of a tag; undefined when it resolves. */
function faultOf(source: string): string | undefined {
  if (source === 'own' || publications.has(source)) return undefined;
  const rfc = /^RFC (\d+)(?: [\d.]+(?:, [\d.]+)*)?$/.exec(source);
  if (rfc) return rfcs.has(rfc[1]!) ? undefined : `RFC ${rfc[1]} is not in docs/sources.md`;
  const numbered = /^(\D+) (\d+(?:\.\d+)*(?:(?:, | and | to )\d+(?:\.\d+)*)*)$/.exec(source);
  if (!numbered) return 'not in the form that docs/sources.md gives';
  const sections = NUMBERED[numbered[1]!];
  if (!sections) return `no document is called ${numbered[1]}`;
  const missing = numbered[2]!.split(/, | and | to /).find((section) => !sections.has(section));
  return missing && `${numbered[1]} has no section ${missing}`;
}

/** The sources of every tag of a file. A tag ends with its line. */
function sourcesOf(file: string): string[] {
  const tags = readFileSync(file, 'utf8').matchAll(/(?:\*|\/\/).*?@source (.+?)(?: *\*\/.*)?$/gm);
  return [...tags].flatMap(([, tag]) => tag!.split('; '));
}

describe('sources', () => {
  test('every @source tag of the code resolves', () => {
    const files = globSync('{src,test,bench,build}/**/*.ts', {
      exclude: ['bench/node_modules/**', 'test/units/sources.test.ts'],
    });
    const found = files.flatMap((file) => sourcesOf(file).map((source) => ({ file, source })));
    assert.ok(found.length > 400);
    const wrong = found.flatMap(({ file, source }) => {
      const fault = faultOf(source);
      return fault ? [`${file}: @source ${source}: ${fault}`] : [];
    });
    assert.deepEqual(wrong, []);
  });

  test('every decision has a number of its own, its anchor, an answer, a reason, and sources that resolve', () => {
    assert.deepEqual(
      entries.filter(({ text }) => !ENTRY.test(text)),
      [],
    );
    assert.equal(new Set(decisions.map(({ number }) => number)).size, decisions.length);
    for (const { file, anchor, number, sources } of decisions) {
      assert.equal(anchor, number);
      for (const source of sources.split('; ')) assert.equal(faultOf(source), undefined, `${file}: ${number}`);
    }
    assert.ok(decisions.length > 500);
  });

  test('links to decisions name their chapters', () => {
    const chapterOf = new Map(decisions.map(({ file, number }) => [number, basename(file)]));
    const links = globSync('{*.md,docs/**/*.md}').flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\]\(([^)\s]*)#(\d+)\)/g)].map(([, path, number]) => ({
        file,
        chapter: basename(path || file),
        number: number!,
      })),
    );
    assert.ok(links.length > 50);
    assert.deepEqual(
      links.filter(({ chapter, number }) => chapterOf.get(number) !== chapter),
      [],
    );
  });

  test('the index of the decisions has every chapter', () => {
    const index = readFileSync('docs/decisions/README.md', 'utf8');
    const listed = [...index.matchAll(/\]\(([a-z]+\.md)\)/g)].map(([, file]) => `docs/decisions/${file}`);
    const chapters = globSync('docs/decisions/*.md').filter((file) => !file.endsWith('README.md'));
    assert.deepEqual(listed.sort(), chapters.sort());
  });

  test('what does not resolve is named', () => {
    assert.equal(faultOf('campaigns 8.1, 99.9'), 'campaigns has no section 99.9');
    assert.equal(faultOf('advertising: Campaign'), 'not in the form that docs/sources.md gives');
    assert.equal(faultOf('RFC 1 2'), 'RFC 1 is not in docs/sources.md');
    assert.equal(faultOf('hearsay 3'), 'no document is called hearsay');
    assert.equal(faultOf('somebody said so'), 'not in the form that docs/sources.md gives');
    assert.equal(faultOf('decision 100000'), 'decision has no section 100000');
  });
});
