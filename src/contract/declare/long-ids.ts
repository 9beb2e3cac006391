/** The form of a 64-bit id, as decimal text. */
export const LONG_ID = /^[0-9]{1,19}$/;

/** Whether a text has that form. A path may contain anything, even characters that a database refuses. */
export function isLongId(text: string): boolean {
  return LONG_ID.test(text);
}
