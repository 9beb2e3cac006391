/**
 * A text of the catalogue with its values: `{name}` stands for the value of that name, and `{name:one|several}` for the
 * word that fits a number.
 */
export function fillIn(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (place, name, one?: string, several?: string) => {
    const value = values[name];
    if (one !== undefined) return value === 1 ? one : several!;
    return typeof value === 'number' ? value.toLocaleString('en') : (value ?? place);
  });
}
