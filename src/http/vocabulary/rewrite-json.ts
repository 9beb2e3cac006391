/** The renaming at one position of a JSON document; undefined positions are left as they are. */
export interface Position {
  /** Members of an object by their names in the document. */
  readonly members: ReadonlyMap<string, Member>;
  /** Renames in all other members. */
  readonly others: Position | undefined;
  /** The name of a member that `members` does not have. */
  readonly otherName: ((name: string) => string) | undefined;
  readonly items: Position | undefined;
  /** The text to put in place of a text. */
  readonly text: ((text: string) => string) | undefined;
}

/** A member of an object: its new name, and the renames within it. */
export interface Member {
  readonly name: string;
  readonly position: Position | undefined;
}

/**
 * Applies a position to JSON text, and leaves every other byte as it is. The text must be valid JSON.
 * @source decision 889
 */
export function rewriteJson(json: string, root: Position | undefined): string {
  if (!root) return json;
  let out = '';
  /** Everything before it is in `out`. */
  let copied = 0;
  let at = 0;

  const skipSpace = (): void => {
    while (json.charCodeAt(at) <= 0x20) at += 1;
  };
  /** Moves behind a string; returns what stands between its quotes. */
  const string = (): string => {
    const start = at + 1;
    let end = json.indexOf('"', start);
    while (isEscaped(json, end)) end = json.indexOf('"', end + 1);
    at = end + 1;
    return json.slice(start, end);
  };
  const replace = (start: number, text: string): void => {
    out += json.slice(copied, start) + JSON.stringify(text);
    copied = at;
  };
  /** Moves behind a value in which nothing is renamed. */
  const skip = (): void => {
    let depth = 0;
    do {
      const char = json[at];
      if (char === '"') string();
      else {
        if (char === '{' || char === '[') depth += 1;
        else if (char === '}' || char === ']') depth -= 1;
        at += 1;
      }
    } while (at < json.length && (depth > 0 || !ENDS.has(json[at]!)));
  };
  const object = (position: Position): void => {
    at += 1;
    skipSpace();
    while (json[at] === '"') {
      const start = at;
      const name = plain(string());
      const member = position.members.get(name);
      const renamed = member ? member.name : (position.otherName?.(name) ?? name);
      if (renamed !== name) replace(start, renamed);
      skipSpace();
      at += 1;
      value(member ? member.position : position.others);
      skipSpace();
      if (json[at] !== ',') break;
      at += 1;
      skipSpace();
    }
    at += 1;
  };
  const array = (items: Position | undefined): void => {
    at += 1;
    skipSpace();
    while (at < json.length && json[at] !== ']') {
      value(items);
      skipSpace();
      if (json[at] === ',') at += 1;
      skipSpace();
    }
    at += 1;
  };
  const value = (position: Position | undefined): void => {
    skipSpace();
    const char = json[at];
    if (!position) skip();
    else if (char === '{') object(position);
    else if (char === '[') array(position.items);
    else if (char === '"' && position.text) {
      const start = at;
      const found = plain(string());
      const renamed = position.text(found);
      if (renamed !== found) replace(start, renamed);
    } else skip();
  };

  value(root);
  return out + json.slice(copied);
}

const ENDS: ReadonlySet<string> = new Set(',]} \t\r\n');

/** Whether an odd number of backslashes stands before a quote. */
function isEscaped(json: string, quote: number): boolean {
  let first = quote;
  while (json[first - 1] === '\\') first -= 1;
  return (quote - first) % 2 === 1;
}

function plain(text: string): string {
  return text.includes('\\') ? JSON.parse(`"${text}"`) : text;
}

/** Applies a position to a parsed JSON value. Of two members with one name, the last counts. */
export function rewriteValue(value: unknown, position: Position | undefined): unknown {
  if (!position) return value;
  if (typeof value === 'string') return rewriteText(value, position);
  if (Array.isArray(value)) return value.map((item) => rewriteValue(item, position.items));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, of]) => {
      const member = position.members.get(name);
      return [
        member?.name ?? position.otherName?.(name) ?? name,
        rewriteValue(of, member ? member.position : position.others),
      ];
    }),
  );
}

/** Applies a position to a parameter: a text, a comma-separated list, or JSON. */
export function rewriteText(text: string, position: Position | undefined): string {
  if (!position) return text;
  if (position.text) return position.text(text);
  if (/^\s*[[{]/.test(text)) return isJson(text) ? rewriteJson(text, position) : text;
  const each = position.items?.text;
  if (!each) return text;
  return text
    .split(',')
    .map((item) => item.replace(/\S.*\S|\S/, each))
    .join(',');
}

/** Whether a text is valid JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
