import { posix } from 'node:path';
import { Marked, type Token, type Tokens } from 'marked';
import { type Html, html, noHtml } from '../../src/base/html.ts';
import { breakableCode } from './members.ts';
import { type Heading, type LinkTo, type SearchRecord, slugOf } from './page.ts';

/** HTML that a library has made of our own documents. */
export function trusted(source: string): Html {
  return html(Object.assign([source], { raw: [source] }));
}

/** Where a link of a document leads: a page and a part of it, or nothing when it is about a file of the repository. */
export type Resolve = (
  file: string,
  anchor: string | undefined,
) => readonly [path: string, anchor?: string] | undefined;

/** A document that is read, and not yet rendered. */
export interface Document {
  /** Its path in the repository: `docs/operate.md`. */
  readonly file: string;
  readonly title: string;
  readonly tokens: readonly Token[];
  readonly headings: readonly Heading[];
}

const marked = new Marked();

/** Words that readers look for and a part does not contain: `<!-- search: sign in, PIN -->` below its heading. */
const SEARCHED = /^<!-- search: (.*) -->$/m;

/** Reads a document. */
export function readDocument(file: string, text: string): Document {
  const all = marked.lexer(text.replace(/<!--(?! search:)[\s\S]*?-->\n*/g, ''));
  const start = all.findIndex((each) => each.type === 'heading');
  const title = start < 0 ? file : plain([all[start]!]);
  const tokens = all.filter((_, index) => index !== start);
  return { file, title, tokens, headings: headingsOf(tokens) };
}

function headingsOf(tokens: readonly Token[]): Heading[] {
  const taken = new Map<string, number>();
  return tokens.filter(isHeading).map((each) => {
    const text = plain([each]);
    // Decisions have the ids that code cites.
    const slug = /^#+ <a id="([^"]+)">/.exec(each.raw)?.[1] ?? slugOf(text);
    const count = taken.get(slug) ?? 0;
    taken.set(slug, count + 1);
    return { id: count === 0 ? slug : `${slug}-${count}`, depth: each.depth, text };
  });
}

const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading';

/** The text of tokens, without marks. */
export function plain(tokens: readonly Token[]): string {
  return tokens.map(plainOf).join('').replace(/\s+/g, ' ').trim();
}

function plainOf(token: Token): string {
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].map((row) => `${row.map((cell) => plain(cell.tokens)).join(' · ')}\n`).join('');
  }
  if (token.type === 'list') return (token as Tokens.List).items.map((item) => `${plain(item.tokens)}\n`).join('');
  if ('tokens' in token && token.tokens) return `${token.tokens.map(plainOf).join('')}${isBlock(token) ? '\n' : ''}`;
  if (token.type === 'html' || token.type === 'space' || token.type === 'hr') return ' ';
  if (token.type === 'br') return ' ';
  return 'text' in token ? `${unescaped(String(token.text))}${isBlock(token) ? '\n' : ''}` : '';
}

const isBlock = ({ type }: Token): boolean => ['paragraph', 'heading', 'code', 'blockquote'].includes(type);

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&#39;': "'",
};

function unescaped(text: string): string {
  return text.replace(/&(?:lt|gt|amp|quot|#39);/g, (entity) => ENTITIES[entity]!);
}

/** Renders a document, or a part of it. */
export function renderDocument(
  { file, headings }: Pick<Document, 'file' | 'headings'>,
  tokens: readonly Token[],
  { resolve, linkTo }: { readonly resolve: Resolve; readonly linkTo: LinkTo },
): Html {
  let next = 0;
  const renderer = new Marked({
    renderer: {
      heading({ tokens: words, depth }) {
        const id = headings[next++]!.id;
        const inside = this.parser.parseInline(words.filter(({ type }) => type !== 'html'));
        // Sections of the protocol are cited by their numbers.
        const section = /^\d+\.\d+(?= )/.exec(plain(words))?.[0];
        const target = section === undefined ? '' : `<span id="${section}"></span>`;
        return `<h${depth} id="${id}">${target}${inside} <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h${depth}>\n`;
      },
      link({ href, tokens: words }) {
        const inside = this.parser.parseInline(words);
        if (/^(?:https?:|mailto:)/.test(href)) return `<a href="${href}">${inside}</a>`;
        const [path = '', anchor] = href.split('#', 2);
        const target = path === '' ? file : posix.join(posix.dirname(file), path);
        const found = resolve(target, anchor);
        return found ? `<a href="${linkTo(...found)}">${inside}</a>` : inside;
      },
      image({ href, text }) {
        const found = resolve(posix.join(posix.dirname(file), href), undefined);
        return found ? html`<img src="${linkTo(found[0])}" alt="${text}" loading="lazy">`.render() : '';
      },
      code: ({ text }) => codeBlock(text).render(),
      codespan: ({ text }) => html`<code>${breakableCode(text)}</code>`.render(),
      table(token) {
        const head = token.header.map((cell) => `<th scope="col">${this.parser.parseInline(cell.tokens)}</th>`);
        const rows = token.rows.map(
          (row) => `<tr>${row.map((cell) => `<td>${this.parser.parseInline(cell.tokens)}</td>`).join('')}</tr>`,
        );
        const isEmpty = token.header.every((cell) => cell.text === '');
        const thead = isEmpty ? '' : `<thead><tr>${head.join('')}</tr></thead>`;
        return `<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>${thead}<tbody>${rows.join('')}</tbody></table></div>\n`;
      },
    },
  });
  return trusted(renderer.parser([...tokens]));
}

/** A block of code, which a script lets readers copy. */
export function codeBlock(text: string, mark = noHtml, label = 'Code'): Html {
  return html`<pre class="code" tabindex="0" role="group" aria-label="${label}"><code${mark}>${text}</code></pre>\n`;
}

/** What a search finds in a document: its start, and the text below each heading. */
export function recordsOf(
  { title, tokens, headings }: Pick<Document, 'title' | 'tokens' | 'headings'>,
  path: string,
): SearchRecord[] {
  const parts: { readonly heading: Heading | undefined; readonly tokens: Token[] }[] = [
    { heading: undefined, tokens: [] },
  ];
  let next = 0;
  for (const token of tokens) {
    if (isHeading(token)) parts.push({ heading: headings[next++], tokens: [] });
    else parts.at(-1)!.tokens.push(token);
  }
  return parts.map(({ heading, tokens: own }) => ({
    at: heading ? `${path}#${heading.id}` : path,
    page: title,
    title: heading?.text ?? '',
    names: own
      .map(({ raw }) => SEARCHED.exec(raw)?.[1] ?? '')
      .join(' ')
      .trim(),
    text: plain(own),
  }));
}
