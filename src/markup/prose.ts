import { type Html, html, joinHtml } from '../base/html.ts';

/**
 * Renders a description: text between backquotes as code, and sections of the protocol, as in
 * `(protocol, campaigns 9.3)`, as links.
 */
export function prose(
  text: string,
  sectionLink = (document: string, section: string) => `/docs/protocol/${document}#${section}`,
): Html {
  const pieces = text.split(/(`[^`]*`|(?<=protocol, )\w+ [\d.]+\d)/).map((piece, index) => {
    if (index % 2 === 0) return html`${piece}`;
    if (piece.startsWith('`')) return html`<code>${piece.slice(1, -1)}</code>`;
    const [document, section] = piece.split(' ') as [string, string];
    return html`<a href="${sectionLink(document, section)}">${piece}</a>`;
  });
  return joinHtml(pieces, '');
}

/** A description of the API, which is English on pages in every language. */
export const inEnglish = (text: string): Html => html`<span lang="en">${prose(text)}</span>`;
