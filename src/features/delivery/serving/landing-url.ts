/**
 * An address to which a browser may be sent, byte for byte but for characters that a header cannot have; empty when it may
 * not.
 */
export function landingUrl(url: string | null | undefined): string {
  if (!url || !/^https?:\/\/[^\s\\]+$/i.test(url) || !URL.canParse(url)) return '';
  const { username, password, host } = new URL(url);
  if (username !== '' || password !== '') return '';
  const [, scheme, name, rest] = /^(https?:\/\/)([^/?#]*)(.*)$/is.exec(url)!;
  const isPlain = (text: string): boolean => /^[\x21-\x7e]*$/.test(text);
  return `${scheme}${isPlain(name!) ? name : host}${rest!.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent)}`;
}
