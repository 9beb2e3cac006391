import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { catalog } from '../../src/app/catalog.ts';
import type { Operation } from '../../src/contract/declare/operation.ts';
import { operationsOf } from '../../src/engine/operations.ts';
import { recordedReply } from '../../src/http/reference/worked-examples.ts';
import { groupsOf, openApiOf } from '../openapi/openapi.ts';
import { GUIDES, OTHERS, UNLISTED } from './contents.ts';
import { defaultService } from './defaults.ts';
import { type Contents, siteDocument } from './frame.ts';
import { type Guide, Guides } from './guide-pages.ts';
import { readDocument } from './markdown.ts';
import { operationPage } from './operation-page.ts';
import { LIMITS } from './operation-parts.ts';
import { eventsPage, searchPage, startPage } from './other-pages.ts';
import type { SearchRecord, SitePage } from './page.ts';
import { problemsPage } from './problems-page.ts';
import { groupPage, referencePage } from './reference-pages.ts';
import { settingsPage } from './settings-page.ts';

/** The whole site: text by file name. Values of a server are placeholders. */
export function siteFiles(): Map<string, string> {
  const pages = sitePages();
  const contents = contentsOf(pages);
  const all = [startPage(contents), ...pages, searchPage()];
  const records = all.flatMap((page) => page.records);
  return new Map([
    ...all.flatMap((page) => [
      [`${page.path || 'index'}.html`, withAddresses(siteDocument(page, contents).render())] as const,
      [`${page.path || 'index'}.md`, withAddresses(page.markdown)] as const,
    ]),
    ['search.json', JSON.stringify(records satisfies readonly SearchRecord[])],
    ['llms.txt', llmsText(contents, pages)],
  ]);
}

/** Puts placeholders in place of the addresses of a development server. */
function withAddresses(text: string): string {
  return text.replace(/http:\/\/127\.(?:<wbr>)?0\.(?:<wbr>)?0\.(?:<wbr>)?1:808([01])\b/g, (_, port) =>
    port === '0' ? '⟦local⟧' : '⟦localSandbox⟧',
  );
}

/** All operations of the catalog. */
export const operations: readonly Operation[] = catalog.flatMap((entry) =>
  'fields' in entry ? operationsOf(entry) : [entry as Operation],
);

const PLACEHOLDERS = { servers: { production: '⟦production⟧', sandbox: '⟦sandbox⟧' }, limits: LIMITS };

/** The description of all calls, with placeholders for the values of a server, or those of one with default settings. */
export function openApiText(isServed: boolean): string {
  return JSON.stringify(
    openApiOf(operations, { ...(isServed ? PLACEHOLDERS : defaultService), replyOf: recordedReply }),
  );
}

/** All pages but the first and that of searches. */
function sitePages(): SitePage[] {
  const guides = guidesOf();
  const files = new Map([
    ['docs/generated/settings.md', 'settings'],
    ['docs/generated/problems.md', 'problems'],
    ...globSync('docs/{generated/*.schema.json,pictures/*}').map((file) => [file, file.replace('docs/', '')] as const),
  ]);
  return [
    ...new Guides(guides).pages(files),
    referencePage(operations),
    ...groupsOf(operations).map(groupPage),
    ...operations.map((operation) => operationPage(operation, operations)),
    problemsPage(operations),
    settingsPage(),
    eventsPage(),
  ];
}

function guidesOf(): Guide[] {
  const listed = GUIDES.flatMap(([, , names]) => names);
  const others = globSync('docs/*.md')
    .map((file) => basename(file, '.md'))
    .filter((name) => name !== 'README' && !listed.includes(name));
  const documents = Object.values(OTHERS).flat();
  return [
    ...[...listed, ...others.sort()].map((name) => guide(name, `docs/${name}.md`)),
    ...documents.filter(([, file]) => file !== '').map(([path, file]) => guide(path, file)),
    ...Object.entries(UNLISTED).map(([path, file]) => guide(path, file)),
    ...chapters('protocol'),
    ...chapters('decisions'),
  ].filter((each) => each !== undefined);
}

/** The documents of a folder, which its first one lists. */
function chapters(folder: string): (Guide | undefined)[] {
  const files = globSync(`docs/${folder}/*.md`).sort();
  return files
    .filter((file) => !file.endsWith('README.md'))
    .map((file) => guide(`${folder}/${basename(file, '.md')}`, file, folder));
}

function guide(path: string, file: string, within = path): Guide | undefined {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8');
  return { path, within, document: readDocument(file, text), text };
}

function contentsOf(pages: readonly SitePage[]): Contents {
  const titles = new Map(pages.map(({ path, title }) => [path, title]));
  const listed = new Set(GUIDES.flatMap(([, , names]) => names));
  const documents = globSync('docs/*.md').map((file) => basename(file, '.md'));
  const further = documents.filter((name) => name !== 'README' && !listed.has(name)).sort();
  return GUIDES.map(([task, , names]) => {
    const guides = [...names, ...(task === 'Understand' ? further : [])].filter((name) => titles.has(name));
    const others = (OTHERS[task] ?? []).filter(([path]) => titles.has(path));
    return [
      task,
      [
        ...guides.map((path) => ({ path, title: titles.get(path)! })),
        ...others.map(([path, , title]) => ({ path, title })),
      ],
    ];
  });
}

/** What programs that read the site should know first. */
function llmsText(contents: Contents, pages: readonly SitePage[]): string {
  const sections = contents.map(([task, entries]) =>
    [`## ${task}`, entries.map(({ path, title }) => `- [${title}](${path}.md)`).join('\n')].join('\n\n'),
  );
  const calls = operations.map(({ id, method, path, description }) => {
    return `- [\`${method} ${path}\`](reference/${id}.md): ${description}`;
  });
  return [
    '# ⟦name⟧',
    '> A self-hosted advertising platform server that works with existing advertising clients: signed requests, accounts, campaigns, media, audiences, delivery, statistics, activity events.',
    `Every page exists as Markdown: add \`.md\` to its path. There are ${pages.length} pages.`,
    ...sections,
    '## Calls',
    calls.join('\n'),
    '',
  ].join('\n\n');
}
