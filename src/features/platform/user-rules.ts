import { isLegalText, lengthOf } from '../../base/text.ts';

/** The error of a user name; undefined when it is valid. @source decision 10 */
export function userNameError(name: string): string | undefined {
  return /^\w{1,15}$/.test(name) ? undefined : 'a user name is 1 to 15 letters, digits or underscores';
}

/** The error of a display name; undefined when it is valid. */
export function displayNameError(name: string): string | undefined {
  return isNameOf(name, 50) ? undefined : 'a name is 1 to 50 characters';
}

/** The error of an e-mail address; undefined when it is valid. Only sending could tell whether the address exists. */
export function emailError(address: string): string | undefined {
  const isGood = address.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(address) && isLegalText(address);
  return isGood ? undefined : 'an e-mail address has an @ between two parts, and no blank';
}

function isNameOf(text: string, max: number): boolean {
  return text.trim() !== '' && lengthOf(text) <= max && isLegalText(text);
}
