import { html as escaped } from 'ghtml';

/**
 * HTML that may be sent as is. Only the tag `html` creates it, so unescaped text cannot pass for it. Using it in a plain
 * string throws.
 * @source decision 730
 */
class Html {
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  /** The document as text. */
  render(): string {
    return this.#source;
  }

  /** @throws TypeError always */
  toString(): never {
    throw new TypeError('HTML in a plain string: use the tag html');
  }
}

export type { Html };

/** Whether a value is HTML. */
export const isHtml = (value: unknown): value is Html => value instanceof Html;

/** The values of templates: HTML, which is inserted as is; text and numbers, which are escaped; or a list of these. */
export type HtmlValue = Html | string | number | readonly HtmlValue[];

/** The tag of HTML and XML templates: values are escaped unless they are HTML themselves. */
export function html(literals: readonly string[], ...values: readonly HtmlValue[]): Html {
  let source = literals[0]!;
  for (const [index, value] of values.entries()) source += toSource(value) + literals[index + 1]!;
  return new Html(source);
}

function toSource(value: HtmlValue): string {
  if (typeof value === 'string') return escaped`${value}`;
  if (typeof value === 'number') return String(value);
  return value instanceof Html ? value.render() : value.map(toSource).join('');
}

/** The pieces with `separator` between them. */
export function joinHtml(pieces: readonly HtmlValue[], separator: HtmlValue): Html {
  return new Html(pieces.map(toSource).join(toSource(separator)));
}

/** No HTML at all. */
export const noHtml: Html = html``;
