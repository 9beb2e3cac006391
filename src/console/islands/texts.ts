/** A text of the catalogue with its values: `{name}` stands for the value of that name. */
export function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
}
