import { isLegalText, lengthOf } from '../../base/text.ts';

/** What is wrong with a user name, undefined when nothing is. */
export function userNameError(name: string): string | undefined {
  return /^\w{1,15}$/.test(name) ? undefined : 'a user name is 1 to 15 letters, digits or underscores';
}

/** What is wrong with a name that is shown. */
export function displayNameError(name: string): string | undefined {
  return isNameOf(name, 50) ? undefined : 'a name is 1 to 50 characters';
}

/** What is wrong with an e-mail address. Whether somebody reads what is sent there, only sending can tell. */
export function emailError(address: string): string | undefined {
  const isGood = address.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(address) && isLegalText(address);
  return isGood ? undefined : 'an e-mail address has an @ between two parts, and no blank';
}

function isNameOf(text: string, max: number): boolean {
  return text.trim() !== '' && lengthOf(text) <= max && isLegalText(text);
}
