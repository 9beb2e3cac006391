/** The shape of an id of 64 bits, as decimal text. */
export const LONG_ID = /^[0-9]{1,19}$/;

/** Whether a text has that shape. A path may hold anything, and some of it is no text for a database. */
export function isLongId(text: string): boolean {
  return LONG_ID.test(text);
}
