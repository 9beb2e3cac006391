import { isLegalText, lengthOf } from '../base/text.ts';

/** What is wrong with a user name, undefined when nothing is. */
export function wrongUserName(name: string): string | undefined {
  return /^\w{1,15}$/.test(name) ? undefined : 'a user name is 1 to 15 letters, digits or underscores';
}

/** What is wrong with a name that is shown. */
export function wrongName(name: string): string | undefined {
  return isNameOf(name, 50) ? undefined : 'a name is 1 to 50 characters';
}

/** What is wrong with the name of an application. @source authentication gaps 4 */
export function wrongApplicationName(name: string): string | undefined {
  return isNameOf(name, 32) ? undefined : 'the name of an application is 1 to 32 characters';
}

/** What is wrong with a password. Only its length counts: rules of composition make worse passwords. */
export function wrongPassword(password: string): string | undefined {
  const length = lengthOf(password);
  return length >= 8 && length <= 256 ? undefined : 'a password has 8 to 256 characters';
}

/** What is wrong with the callback addresses of an application. @source authentication gaps 4 and 4.1 */
export function wrongCallbacks(callbacks: readonly string[]): string | undefined {
  if (callbacks.length < 1 || callbacks.length > 10) return 'an application has 1 to 10 callback addresses';
  for (const callback of callbacks) {
    const problem = wrongCallback(callback);
    if (problem) return `callback ${JSON.stringify(callback.slice(0, 200))} ${problem}`;
  }
  return undefined;
}

// Schemes that run scripts, reach into files, or belong to another protocol. @source authentication gaps 4.1
const REFUSED_SCHEMES = new Set(
  (
    'javascript vbscript vbs data mocha keyword livescript ftp file gopher acrobat callto daap itpc itms firefoxurl hcp ' +
    'ldap mailto mmst mmsu msbd rtsp mso-offdap snews news nntp outlook stssync rlogin telnet tn3270 shell sip ' +
    'about blob chrome view-source ws wss intent'
  ).split(' '),
);

function wrongCallback(callback: string): string | undefined {
  if (callback.length > 2048) return 'has more than 2048 characters';
  if (!isLegalText(callback) || /[\\\s]/.test(callback)) return 'has a blank, a backslash or a control character';
  const scheme = /^([a-z][a-z0-9+.-]*):./i.exec(callback)?.[1]?.toLowerCase();
  if (scheme === undefined || !URL.canParse(callback)) return 'is not an absolute address';
  if (callback.includes('#')) return 'has a fragment';
  if (REFUSED_SCHEMES.has(scheme)) return `has the scheme ${scheme}, which is refused`;
  const { username, password } = new URL(callback);
  return `${username}${password}` === '' ? undefined : 'names a user';
}

function isNameOf(text: string, max: number): boolean {
  return text.trim() !== '' && lengthOf(text) <= max && isLegalText(text);
}
