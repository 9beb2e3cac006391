/** Whether a browser may be sent to an address. */
export function isLandingUrl(url: string): boolean {
  if (!/^https?:\/\/[^\s\\]+$/i.test(url) || !URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username === '' && password === '';
}
