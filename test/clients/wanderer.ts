import { type Browser, browserOf, type Seen } from '../rig/browser.ts';

/** A browser that goes where redirects lead, and keeps the cookies of each origin apart. */
export interface Wanderer {
  /** The part of it that knows one origin. */
  at(origin: string): Browser;
  /** Opens an address; the answer is the page at the end of the redirects. */
  open(address: string): Promise<{ readonly origin: string; readonly page: Seen }>;
}

const REDIRECTS_MAX = 5;

/** A browser without cookies. */
export function wanderer(): Wanderer {
  const browsers = new Map<string, Browser>();
  const at = (origin: string): Browser => {
    const browser = browsers.get(origin) ?? browserOf(origin);
    browsers.set(origin, browser);
    return browser;
  };
  return {
    at,
    async open(address) {
      let url = new URL(address);
      for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
        const page = await at(url.origin).get(url.pathname + url.search);
        if (page.location === null) return { origin: url.origin, page };
        url = new URL(page.location, url);
      }
      throw new Error(`${address} leads on and on`);
    },
  };
}
