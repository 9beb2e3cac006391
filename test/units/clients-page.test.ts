import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { AUTHORITY, LANGUAGES, recipes } from '../clients/recipes.ts';

const page = readFileSync('docs/clients.md', 'utf8');

test('every program of docs/clients.md is run by a test, and no section has two', () => {
  const suites = globSync('test/clients/*.{test,wider}.ts').map((file) => readFileSync(file, 'utf8'));
  const titles = recipes().map(({ title }) => title);
  assert.ok(titles.length > 8);
  assert.deepEqual(
    titles.filter((title) => !suites.some((text) => text.includes(`'${title}'`))),
    [],
  );
  assert.deepEqual(titles, [...new Set(titles)]);
});

test('the versions on the page are those of the tests', () => {
  const told = [...page.matchAll(/npm `([\w.-]+)`\]\([^)]+\) (\S+)/g)].map(([, name, version]) => [name!, version!]);
  assert.equal(told.length, 4);
  for (const [name, version] of told) {
    assert.equal(JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version, version, name);
  }
});

test('links within the page have targets', () => {
  const anchors = [...page.matchAll(/^##+ (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
  const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, link]) => link!);
  assert.ok(links.length > 0);
  for (const link of links) assert.ok(anchors.includes(link), link);
});

test('the page explains how the tests trust an authority', () => {
  const missing = Object.values(LANGUAGES).filter(
    ({ trust }) => !page.includes(`\`export ${trust}=$PWD/${AUTHORITY}\``),
  );
  assert.deepEqual(missing, []);
});
