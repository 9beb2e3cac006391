import { type Html, html, noHtml } from '../../src/base/html.ts';
import { VERSION } from '../../src/engine/operations.ts';
import { trusted } from './markdown.ts';
import { linksFrom, type SitePage } from './page.ts';

/** A link of the contents, with those below it where they are shown. */
export interface Entry {
  readonly path: string;
  readonly title: string;
}

/** The contents of the site: pages by task. */
export type Contents = readonly (readonly [task: string, entries: readonly Entry[]])[];

/** What stands only where a server shows the site, or only in development. */
export function onlyIn(where: 'server' | 'dev', what: Html): Html {
  return trusted(`⟦${where}:${what.render()}⟧`);
}

/** Renders a page as a whole document. */
export function siteDocument(page: SitePage, contents: Contents): Html {
  const linkTo = linksFrom(page.path);
  const { title, layout = 'guide' } = page;
  return html`<!doctype html>
<html lang="en" data-root="${linkTo('').replace('⟦index⟧', '')}" data-html="⟦html⟧">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ⟦name⟧</title>
${onlyIn('server', html`<link rel="icon" href="/pages/favicon">`)}
<link rel="stylesheet" href="${linkTo('site.css')}">
<link rel="alternate" type="text/markdown" href="${linkTo(`${page.path || 'index'}.md`)}">
<script type="module" src="${linkTo('site.js')}"></script>
</head>
<body class="${layout}">
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
  <button type="button" class="menu" popovertarget="contents">Contents</button>
  <p class="brand"><a href="${linkTo('')}"><strong>⟦name⟧</strong> docs</a></p>
  <form class="find" role="search" action="${linkTo('search')}">
    <label class="unseen" for="find">Search the documentation</label>
    <input id="find" name="q" type="search" autocomplete="off" maxlength="100" placeholder="Search" spellcheck="false">
    <div id="found" hidden></div>
  </form>
  <p class="links"><a href="${linkTo('reference')}">API</a>${onlyIn('server', html`<a href="/">This server</a>`)}</p>
</header>
<div class="frame">
<nav id="contents" popover aria-label="Contents">
<button type="button" class="menu" popovertarget="contents" popovertargetaction="hide">Close</button>
${page.navigation?.(linkTo) ?? noHtml}${contentsOf(page, contents)}
</nav>
<main id="content">
${page.content(linkTo)}
<footer>Version ${VERSION} of the interface · <a href="${linkTo(`${page.path || 'index'}.md`)}">This page as Markdown</a></footer>
</main>
${onThisPage(page)}</div>
</body>
</html>
`;
}

function contentsOf({ path, within = path }: SitePage, contents: Contents): Html {
  const linkTo = linksFrom(path);
  return html`${contents.map(
    ([task, entries]) => html`<h2>${task}</h2>
<ul>${entries.map((each) => html`<li><a href="${linkTo(each.path)}"${each.path === within ? html` aria-current="${each.path === path ? 'page' : 'true'}"` : ''}>${each.title}</a></li>\n`)}</ul>
`,
  )}`;
}

function onThisPage({ headings, layout }: SitePage): Html {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (layout !== undefined && layout !== 'guide') return noHtml;
  if (shown.length < 2) return html`<aside class="toc"></aside>\n`;
  return html`<aside class="toc"><nav aria-label="On this page"><h2>On this page</h2>
<ul>${shown.map(({ id, depth, text }) => html`<li class="depth${depth}"><a href="#${id}">${text}</a></li>\n`)}</ul></nav></aside>
`;
}
