import type { Html } from '../../src/base/html.ts';
import type { PageDocument, PageResponse } from '../../src/contract/declare/pages.ts';

/** Pages that must not compile: `tsc` fails when one of them does. Nothing calls this. */
export function wrongPages(text: string, content: Html): readonly (PageDocument | PageResponse)[] {
  // @ts-expect-error text is not HTML, even when it looks like it
  const page: PageDocument = { title: text, content: '<p>Saved</p>' };
  // @ts-expect-error a template without the tag is text
  const heading: PageDocument = { title: text, content: `<h1>${text}</h1>` };
  // @ts-expect-error a whole document is HTML too
  const response: PageResponse = { status: 200, html: text };
  // @ts-expect-error HTML that is added to something is no longer HTML
  const sum: PageDocument = { title: text, content: content + content };
  // @ts-expect-error an object that looks like HTML is not
  const forged: PageDocument = { title: text, content: { render: () => text, toString: () => text } };
  return [page, heading, response, sum, forged];
}
