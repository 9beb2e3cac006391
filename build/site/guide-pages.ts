import type { Token } from 'marked';
import { type Html, html, noHtml } from '../../src/base/html.ts';
import { type Document, type Resolve, recordsOf, renderDocument } from './markdown.ts';
import type { Heading, LinkTo, SitePage } from './page.ts';

/** Documents longer than this have a page for each chapter. */
const LENGTH_MAX = 40_000;

/** A document and the path of its page. */
export interface Guide {
  readonly path: string;
  /** The page in the contents that it belongs to. */
  readonly within: string;
  readonly document: Document;
  readonly text: string;
}

/** A chapter of a guide that has several pages; the first is what stands before the others. */
interface Chapter {
  readonly path: string;
  readonly title: string;
  readonly headings: readonly Heading[];
  readonly tokens: readonly Token[];
}

/** The pages of guides, and where links of documents lead. */
export class Guides {
  readonly #guides: readonly Guide[];
  readonly #chapters: ReadonlyMap<Guide, readonly Chapter[]>;
  /** The page with a heading, by file and id. */
  readonly #places = new Map<string, string>();

  constructor(guides: readonly Guide[]) {
    this.#guides = guides;
    this.#chapters = new Map(guides.map((guide) => [guide, chaptersOf(guide)]));
    for (const [{ document }, chapters] of this.#chapters)
      for (const { path, headings } of chapters)
        for (const { id } of headings) this.#places.set(`${document.file}#${id}`, path);
  }

  /** The pages of all guides. @param files paths in the site of files of the repository that are no guides */
  pages(files: ReadonlyMap<string, string>): SitePage[] {
    const pathOf = new Map(this.#guides.map(({ path, document }) => [document.file, path]));
    const resolve: Resolve = (file, anchor) => {
      const made = files.get(file);
      if (made !== undefined) return anchor === undefined ? [made] : [made, anchor];
      const path = pathOf.get(file) ?? pathOf.get(`${file.replace(/\/$/, '')}/README.md`);
      if (path === undefined || anchor === undefined) return path === undefined ? undefined : [path];
      const place = this.#places.get(`${file}#${anchor}`);
      if (place === undefined) throw new Error(`${file} has no heading #${anchor}`);
      return place === `${path}/${anchor}` ? [place] : [place, anchor];
    };
    return this.#guides.flatMap((guide) => pagesOf(guide, this.#chapters.get(guide)!, resolve));
  }
}

function chaptersOf({ path, document, text }: Guide): Chapter[] {
  const { title, tokens, headings } = document;
  if (text.length <= LENGTH_MAX || !document.file.startsWith('docs/') || document.file.includes('/protocol/'))
    return [{ path, title, tokens, headings }];
  const chapters: { path: string; title: string; tokens: Token[]; headings: Heading[] }[] = [
    { path, title, tokens: [], headings: [] },
  ];
  let next = 0;
  for (const token of tokens) {
    const heading = token.type === 'heading' ? headings[next++]! : undefined;
    if (heading?.depth === 2) {
      chapters.push({ path: `${path}/${heading.id}`, title: heading.text, tokens: [], headings: [heading] });
      continue;
    }
    const chapter = chapters.at(-1)!;
    chapter.tokens.push(token);
    if (heading) chapter.headings.push(heading);
  }
  return chapters;
}

function pagesOf({ path, within, document, text }: Guide, chapters: readonly Chapter[], resolve: Resolve): SitePage[] {
  const { file, title } = document;
  return chapters.map((chapter, index): SitePage => {
    // The heading of a chapter is the title of its page.
    const headings = index === 0 ? chapter.headings : chapter.headings.slice(1);
    const content = (
      linkTo: LinkTo,
    ): Html => html`${index === 0 ? noHtml : html`<p class="up"><a href="${linkTo(path)}">${title}</a></p>\n`}<h1>${chapter.title}</h1>
${renderDocument({ file, headings }, chapter.tokens, { resolve, linkTo })}${neighbours(chapters, index, linkTo)}`;
    return {
      ...{ path: chapter.path, title: chapter.title, within, headings, content },
      ...(chapters.length > 1 && { navigation: (linkTo) => chapterLinks(title, chapters, index, linkTo) }),
      records: recordsOf({ ...chapter, title: chapter.title, headings }, chapter.path),
      markdown: markdownOf(chapter, chapters, index, text),
    };
  });
}

/** The text of a document, or of its chapter. */
function markdownOf(chapter: Chapter, chapters: readonly Chapter[], index: number, text: string): string {
  if (chapters.length === 1) return text;
  return `${index === 0 ? '' : '# '}${index === 0 ? text.split('\n', 1)[0] : chapter.title}\n\n${chapter.tokens.map(({ raw }) => raw).join('')}`;
}

function chapterLinks(title: string, chapters: readonly Chapter[], current: number, linkTo: LinkTo): Html {
  return html`<h2>${title}</h2>
<ul>${chapters.slice(1).map((each, index) => html`<li><a href="${linkTo(each.path)}"${index + 1 === current ? html` aria-current="page"` : ''}>${each.title}</a></li>\n`)}</ul>
`;
}

function neighbours(chapters: readonly Chapter[], index: number, linkTo: LinkTo): Html {
  const next = chapters[index + 1];
  if (chapters.length === 1 || !next) return noHtml;
  return html`<p class="next"><a href="${linkTo(next.path)}">Next: ${next.title}</a></p>\n`;
}
