import type { Html } from '../../src/base/html.ts';

/** A heading of a page, which links may name. */
export interface Heading {
  readonly id: string;
  readonly depth: number;
  readonly text: string;
}

/** What a search finds: a page, or a part of one. */
export interface SearchRecord {
  /** The path of the page below `/docs/`, with the id of the part: `operate#people`. */
  readonly at: string;
  /** The title of the page. */
  readonly page: string;
  /** The title of the part; empty for the start of a page. */
  readonly title: string;
  /** Names that readers look up exactly: parameters, codes, settings. */
  readonly names: string;
  readonly text: string;
  /** Parameters, each with an anchor `parameter-NAME` on the page. */
  readonly parameters?: readonly (readonly [name: string, about: string])[];
}

/** The id of a parameter on the page of its call. */
export const parameterId = (name: string): string => `parameter-${name}`;

/** A page of the site. */
export interface SitePage {
  /** Below `/docs/`, without extension; empty for the start page. */
  readonly path: string;
  readonly title: string;
  /** The page in the contents that this one belongs to; itself by default. */
  readonly within?: string;
  /** What stands on the left instead of the contents of the whole site. */
  readonly navigation?: (linkTo: LinkTo) => Html;
  readonly layout?: 'guide' | 'operation' | 'search';
  readonly content: (linkTo: LinkTo) => Html;
  readonly headings: readonly Heading[];
  readonly records: readonly SearchRecord[];
  /** The page as Markdown. */
  readonly markdown: string;
}

/** Returns a link from a page to another one, or to a file: `../operate⟦html⟧#people`. */
export type LinkTo = (path: string, anchor?: string) => string;

/** Returns the links from a page: relative ones, so that the site can be published anywhere. */
export function linksFrom(page: string): LinkTo {
  const up = '../'.repeat(page.split('/').length - 1);
  return (path, anchor) => {
    const isFile = /\.(?:css|js|json|md|mjs|png|svg|txt|webp)$/.test(path);
    const to = path === '' ? `${up || './'}⟦index⟧` : `${up}${path}${isFile ? '' : '⟦html⟧'}`;
    return anchor === undefined ? to : `${to}#${anchor}`;
  };
}

/** The id of a heading, as repositories show documents. */
export function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
