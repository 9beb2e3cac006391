import { type Html, html } from '../../base/html.ts';
import type { PageDocument, PageLink } from '../../contract/declare/pages.ts';
import { type BrandedService, renderDocument } from '../../http/pages/document.ts';
import { pageHeaders } from '../../http/pages/page-headers.ts';
import { headersByName } from '../../http/reply.ts';
import { alertBox } from '../../markup/boxes.ts';
import { toSentence } from '../../markup/form-fields.ts';
import { texts } from '../../texts/texts.ts';
import { type DevCall, DevError, DevReply, type DevRequest } from './call.ts';

const words = texts.tools;

/** The tools that have a page. */
const TOOLS = {
  home: '/',
  workbench: '/_dev/workbench',
  data: '/_dev/data',
  requests: '/_dev/requests',
  debugger: '/_dev/debugger',
  clock: '/_dev/clock',
  faults: '/_dev/faults',
  snapshots: '/_dev/snapshots',
} as const;
/** The name of a tool that has a page. */
export type Tool = keyof typeof TOOLS;

/** A link to the home page, which leads to all tools. */
export const homeLink = (): PageLink => ({ href: TOOLS.home, text: words.title, isCurrent: false });

/** A page of a tool. */
export interface ToolPage extends Pick<PageDocument, 'islands' | 'width'> {
  readonly status?: number | undefined;
  readonly title: string;
  /** The part below the title. */
  readonly content: Html;
}

/** Renders the pages of tools, with links to the other tools. */
export class ToolPages {
  readonly #branding: BrandedService;
  readonly #hasRequests: boolean;

  constructor(branding: BrandedService, hasRequests: boolean) {
    this.#branding = branding;
    this.#hasRequests = hasRequests;
  }

  render(tool: Tool, { status = 200, title, content, width = 'wide', islands }: ToolPage): DevReply {
    // The header leads to the home page.
    const links = Object.entries(words.names)
      .filter(([name]) => this.#hasRequests || (name !== 'requests' && name !== 'workbench'))
      .map(([name, text]) => ({ href: TOOLS[name as Tool], text, isCurrent: name === tool }));
    const others = Object.entries(words.others).map(([href, text]) => ({ href, text, isCurrent: false }));
    const tabs = { label: words.title, links: [...links, ...others] };
    const page = { title, content: html`<h1>${title}</h1>\n${content}`, tabs, width, islands };
    return new DevReply(status, renderDocument(page, this.#branding), {
      ...headersByName(pageHeaders({ html: page })),
      ...HEADERS,
    });
  }
}

/** Forms need a referrer: without one, browsers send no origin with them. @source decision 861 */
const HEADERS: Readonly<Record<string, string>> = {
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

/**
 * Builds the call of the forms of a tool. It redirects to the page of the tool, or to the place that `act` returns, or
 * shows the page with an error.
 */
export function formCall(
  tool: Tool,
  act: (form: URLSearchParams) => unknown,
  page: (refused: RefusedForm, request: DevRequest) => DevReply | Promise<DevReply>,
): DevCall {
  return {
    method: 'POST',
    path: formPath(tool),
    takesForm: true,
    about: `Does what a form on ${TOOLS[tool]} says.`,
    async perform(request) {
      const fields = [...(request.body as URLSearchParams)];
      const form = new URLSearchParams(fields.map(([name, text]): [string, string] => [name, text.trim()]));
      try {
        const place = await act(form);
        return new DevReply(303, undefined, { location: typeof place === 'string' ? place : TOOLS[tool] });
      } catch (error) {
        if (error instanceof DevError) return page({ error, form }, request);
        throw error;
      }
    },
  };
}

/** Renders the error above a refused form. */
export function refusalBox(refused: RefusedForm | undefined): Html {
  return alertBox(refused && toSentence(refused.error.message));
}
