import { type Html, type HtmlValue, html } from './html.ts';
import { language, numberText } from './language.ts';

/** The values of a message by the names of its placeholders. */
type Values = Readonly<Record<string, HtmlValue | boolean | undefined>>;

interface Placeholder {
  readonly name: string;
  /** The messages for plural forms, exact numbers or words; empty if the value itself is shown. */
  readonly choices: ReadonlyMap<string, Message>;
}
type Message = readonly (string | Placeholder)[];

const parsed = new Map<string, Message>();

/**
 * The text of a message in the syntax of ICU: `{name}` stands for a value, and `{name, plural, =0 {none} one {one} other {more}}` or
 * `{name, select, true {yes} other {no}}` for the message that fits it.
 */
export function fillIn(text: string, values: Values): string {
  const { literals, given } = filled(text, values);
  return String.raw({ raw: literals }, ...given);
}

/** The same for a message with markup, whose values are escaped. */
export function fillInHtml(text: string, values: Values): Html {
  const { literals, given } = filled(text, values);
  return html(literals, ...given);
}

function filled(text: string, values: Values): { readonly literals: string[]; readonly given: HtmlValue[] } {
  const literals = [''];
  const given: HtmlValue[] = [];
  const add = (message: Message): void => {
    for (const part of message) {
      if (typeof part === 'string') {
        literals[literals.length - 1] += part;
        continue;
      }
      const value = values[part.name] ?? `{${part.name}}`;
      if (part.choices.size > 0) {
        add(chosen(part, value));
        continue;
      }
      given.push(typeof value === 'number' ? numberText(value) : typeof value === 'boolean' ? String(value) : value);
      literals.push('');
    }
  };
  add(messageOf(text));
  return { literals, given };
}

function chosen({ choices }: Placeholder, value: HtmlValue | boolean): Message {
  const form = typeof value === 'number' ? new Intl.PluralRules(language()).select(value) : String(value);
  return choices.get(`=${value}`) ?? choices.get(form) ?? choices.get('other') ?? [];
}

function messageOf(text: string): Message {
  const known = parsed.get(text) ?? parse(text);
  parsed.set(text, known);
  return known;
}

/** @throws SyntaxError for braces that are not paired */
function parse(text: string): Message {
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    at += found?.[0].length ?? 0;
    return found?.[1];
  };
  const message = (): Message => {
    const parts: (string | Placeholder)[] = [];
    for (;;) {
      const plain = take(/([^{}]+)/y);
      if (plain !== undefined) parts.push(plain);
      const name = take(/\{\s*(\w+)\s*/y);
      if (name === undefined) return parts;
      const choices = new Map<string, Message>();
      if (take(/,\s*(plural|select)\s*,\s*/y)) {
        for (let key = take(CHOICE); key !== undefined; key = take(CHOICE)) {
          choices.set(key, message());
          if (!take(/(\})\s*/y)) throw new SyntaxError(`a choice is not closed: ${text}`);
        }
      }
      if (!take(/(\})/y)) throw new SyntaxError(`a placeholder is not closed: ${text}`);
      parts.push({ name, choices });
    }
  };
  const whole = message();
  if (at < text.length) throw new SyntaxError(`braces are not paired: ${text}`);
  return whole;
}

const CHOICE = /([=\w]+)\s*\{/y;
