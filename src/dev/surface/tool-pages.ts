import { type Html, html } from '../../base/html.ts';
import type { PageLink } from '../../contract/declare/pages.ts';
import { type BrandedService, renderDocument } from '../../http/pages/document.ts';
import { pageHeaders } from '../../http/pages/page-headers.ts';
import { headersByName } from '../../http/reply.ts';
import { alertBox } from '../../markup/boxes.ts';
import { toSentence } from '../../markup/form-fields.ts';
import { texts } from '../../texts/texts.ts';
import { type DevCall, DevError, DevReply } from './call.ts';

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

/** A page of a tool. */
export interface ToolPage {
  readonly status?: number | undefined;
  readonly title: string;
  /** The part below the title. */
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
      const whole = html`<h1>${title}</h1>\n${content}`;
      const text = renderDocument({ title, content: whole, tabs, width: 'wide' }, branding);
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

/** A form that was refused: the reason, and the fields. */
export interface RefusedForm {
  readonly error: DevError;
  readonly form: URLSearchParams;
}

/** The path of the forms of a tool. */
export const formPath = (tool: Tool) => `/_dev/forms/${tool}` as const;

/** The call of the forms of a tool. It leads back to the page of the tool, or shows it with the reason of a refusal. */
export function formCall(
  tool: Tool,
  act: (form: URLSearchParams) => unknown,
  page: (refused: RefusedForm) => DevReply | Promise<DevReply>,
): DevCall {
  return {
    method: 'POST',
    path: formPath(tool),
    takesForm: true,
    about: `Does what a form of the page of ${tool === 'clock' ? 'the clock' : tool} says.`,
    async perform({ body }) {
      const fields = [...(body as URLSearchParams)];
      const form = new URLSearchParams(fields.map(([name, text]): [string, string] => [name, text.trim()]));
      try {
        await act(form);
        return new DevReply(303, undefined, { location: TOOLS[tool] });
      } catch (error) {
        if (error instanceof DevError) return page({ error, form });
        throw error;
      }
    },
  };
}

/** The reason of a refusal above a form. */
export function refusalBox(refused: RefusedForm | undefined): Html {
  return alertBox(refused && toSentence(refused.error.message));
}
