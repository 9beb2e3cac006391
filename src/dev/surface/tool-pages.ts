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
/** The name of a tool that has a page. */
export type Tool = keyof typeof TOOLS;

/** Returns links to all tools; the current one is marked. */
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

/** Renders the pages of tools, which need no script, with links to the other tools. */
export class ToolPages {
  readonly #branding: BrandedService;
  readonly #hasRequests: boolean;

  constructor(branding: BrandedService, hasRequests: boolean) {
    this.#branding = branding;
    this.#hasRequests = hasRequests;
  }

  render(tool: Tool, { status = 200, title, content }: ToolPage): DevReply {
    const links = toolLinks(this.#hasRequests, tool);
    const applications = { href: '/developer', text: words.applications, isCurrent: false };
    const tabs = { label: words.title, links: [...links, applications] };
    const page = { title, content: html`<h1>${title}</h1>\n${content}`, tabs, width: 'wide' } as const;
    return new DevReply(status, renderDocument(page, this.#branding), HEADERS);
  }
}

/** Forms need a referrer: without one, browsers send no origin with them. @source decision 861 */
const HEADERS: Readonly<Record<string, string>> = {
  ...headersByName(pageHeaders({})),
  'referrer-policy': 'same-origin',
  'content-type': 'text/html; charset=utf-8',
  vary: 'accept',
};

/** A refused form: the error and the fields. */
export interface RefusedForm {
  readonly error: DevError;
  readonly form: URLSearchParams;
}

/** The path of the forms of a tool. */
export const formPath = (tool: Tool) => `/_dev/forms/${tool}` as const;

/** Builds the call of the forms of a tool. It redirects to the page of the tool, or shows the page with an error. */
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

/** Renders the error above a refused form. */
export function refusalBox(refused: RefusedForm | undefined): Html {
  return alertBox(refused && toSentence(refused.error.message));
}
