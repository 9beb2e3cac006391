import { type Html, html, joinHtml } from '../../base/html.ts';
import type { PageLink } from '../../contract/declare/pages.ts';
import { type BrandedService, renderDocument } from '../../http/pages/document.ts';
import { pageHeaders } from '../../http/pages/page-headers.ts';
import { headersByName } from '../../http/reply.ts';
import { texts } from '../../texts/texts.ts';
import { DevReply } from './call.ts';

const words = texts.tools;

/** The tools that have a page. */
const TOOLS = {
  requests: '/_dev/requests',
  debugger: '/_dev/debugger',
  clock: '/_dev/clock',
  faults: '/_dev/faults',
  snapshots: '/_dev/snapshots',
} as const;
/** The name of a tool. */
export type Tool = keyof typeof TOOLS;

/** Links to the tools, of which the page is one. */
export function toolLinks(hasRequests: boolean, current?: Tool): readonly PageLink[] {
  const names = Object.keys(TOOLS) as Tool[];
  return names
    .filter((name) => hasRequests || name !== 'requests')
    .map((name) => ({ href: TOOLS[name], text: words.names[name], isCurrent: name === current }));
}

/** What a page of a tool contains. */
export interface ToolPage {
  readonly status?: number;
  readonly title: string;
  /** What stands below the title. */
  readonly content: Html;
}

/** Makes pages of tools. They need no script. */
export interface ToolPages {
  render(tool: Tool, page: ToolPage): DevReply;
}

/** Opens the pages of tools, with links to those that there are. */
export function openToolPages(branding: BrandedService, hasRequests: boolean): ToolPages {
  return {
    render(tool, { status = 200, title, content }) {
      const tabs = {
        label: words.title,
        links: [...toolLinks(hasRequests, tool), { href: '/developer', text: words.applications, isCurrent: false }],
      };
      const shown = html`<h1>${title}</h1>\n${content}`;
      const text = renderDocument({ title, content: shown, tabs, width: 'wide' }, branding);
      return new DevReply(status, text, HEADERS);
    },
  };
}

/** Forms need a referrer: without one, browsers send no origin with them. @source decision 861 */
const HEADERS: Readonly<Record<string, string>> = {
  ...headersByName(pageHeaders({})),
  'referrer-policy': 'same-origin',
  'content-type': 'text/html; charset=utf-8',
  vary: 'accept',
};

/** Leads to the page of a tool after something was done. */
export function backTo(tool: Tool): DevReply {
  return new DevReply(303, undefined, { location: TOOLS[tool] });
}

/** Names and values. */
export function definitions(
  rows: readonly (readonly [name: string, value: Html | string | number])[],
  style = 'facts',
): Html {
  return html`<dl class="${style}">
${joinHtml(
  rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`),
  '\n',
)}
</dl>`;
}
