import { type Html, html } from '../../src/base/html.ts';
import { EVENT_TYPE_RULES, EVENT_TYPES, type EventType } from '../../src/contract/store/events.ts';
import { prose } from '../../src/markup/prose.ts';
import { EVENT_ITEMS } from '../docs/coverage/events.ts';
import { GUIDES } from './contents.ts';
import type { Contents } from './frame.ts';
import { breakableCode } from './members.ts';
import { operationPath } from './operation-parts.ts';
import type { LinkTo, SitePage } from './page.ts';

/** The first page: the contents, with what each part is for. */
export function startPage(contents: Contents): SitePage {
  const tasks = contents.map(([task, entries]) => ({
    task,
    entries,
    about: GUIDES.find(([name]) => name === task)![1],
  }));
  return {
    ...{ path: '', title: 'Documentation', headings: [], records: [] },
    content: (linkTo) => html`<h1>Documentation</h1>
<p class="lead">An advertising platform server of your own: signed requests, accounts, campaigns, delivery and statistics.</p>
<p class="ways"><a class="button" href="${linkTo('trial')}">Run your first ad</a> <a class="button quiet" href="${linkTo('reference')}">API reference</a></p>
<div class="tasks">${tasks.map(
      ({ task, about, entries }) => html`<section><h2>${task}</h2>
<p>${about}</p>
<ul>${entries.map(({ path, title }) => html`<li><a href="${linkTo(path)}">${title}</a></li>\n`)}</ul></section>
`,
    )}</div>
<p class="note">For programs: <a href="${linkTo('llms.txt')}">llms.txt</a> lists all pages as Markdown, <a href="⟦openapi⟧">openapi.json</a> describes all calls.</p>`,
    markdown: [
      '# Documentation',
      ...tasks.map(({ task, about, entries }) =>
        [`## ${task}`, about, entries.map(({ path, title }) => `- [${title}](${path}.md)`).join('\n')].join('\n\n'),
      ),
      '',
    ].join('\n\n'),
  };
}

/** The page of a search, which a script fills. */
export function searchPage(): SitePage {
  return {
    ...{ path: 'search', title: 'Search', layout: 'search', headings: [], records: [] },
    content: (linkTo) => html`<h1>Search</h1>
<noscript><p class="note">The search needs JavaScript. The <a href="${linkTo('')}">contents</a> have every guide, and the
<a href="${linkTo('reference')}">API reference</a> every call.</p></noscript>
<p id="count" class="lead" role="status"></p>
<ol id="results" class="results"></ol>`,
    markdown: '# Search\n\n`search.json` has what a search finds, one record for each part of a page.\n',
  };
}

/** The page of all types of activity events. */
export function eventsPage(): SitePage {
  const types = EVENT_TYPES.map((type) => ({ type, ...factsOf(type) }));
  const content = (linkTo: LinkTo): Html => html`<h1>Event types</h1>
<p class="lead">What applications can subscribe to. How events are delivered is in <a href="${linkTo('activity')}">activity events</a>.</p>
${types.map(
  ({
    type,
    operations,
    facts,
  }) => html`<article class="problem" id="${type}"><h2><code>${breakableCode(type)}</code> <a class="anchor" href="#${type}" aria-label="Link to this type">#</a></h2>
<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${prose(value)}</dd></div>\n`)}</dl>
${operations.map((id) => html`<p class="note"><a href="${linkTo(operationPath(id))}">${id}</a></p>\n`)}</article>
`,
)}`;
  return {
    ...{ path: 'events', title: 'Event types', content },
    headings: types.map(({ type }) => ({ id: type, depth: 2, text: type })),
    records: types.map(({ type, facts }) => ({
      ...{ at: `events#${type}`, page: 'Event types', title: type, names: type },
      text: `${facts.map((fact) => fact.join(': ')).join('. ')}`.replaceAll('`', ''),
    })),
    markdown: `# Event types\n\n${types
      .map(({ type, facts }) => `## ${type}\n\n${facts.map((fact) => `- ${fact.join(': ')}\n`).join('')}`)
      .join('\n')}`,
  };
}

const DIRECTIONS = {
  sent: 'the user of the filter acted',
  received: 'the other user acted',
  either: 'either, as the filter says',
} as const;

function factsOf(type: EventType) {
  const { isPrivate, requiresUser, direction, alias, deprecatedName } = EVENT_TYPE_RULES[type];
  const { how, operations } = EVENT_ITEMS.find(({ what }) => what === `Event type ${type}`)!;
  const facts: readonly (readonly [name: string, value: string])[] = [
    ['Cause', how],
    ['Needs', isPrivate ? 'the consent of the user of the filter' : 'an application'],
    ['Filter', requiresUser ? '`user_id`' : '`user_id` or `keyword`'],
    ...(direction === null ? [] : [['Direction', DIRECTIONS[direction]] as const]),
    ...(alias === undefined ? [] : [['Also', `\`${alias}\``] as const]),
    ...(deprecatedName === undefined ? [] : [['Deprecated', `\`${deprecatedName}\``] as const]),
  ];
  return { facts, operations };
}
