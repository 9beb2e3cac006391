import type { PageResponse } from '../../contract/declare/pages.ts';
import type { Headers } from '../reply.ts';
import { islandsOf } from './document.ts';

/**
 * The headers of every page. A form may lead to the page's own origin and, by the redirect after it, to the callback:
 * browsers apply `form-action` to redirects too.
 * @source authentication 15.2
 */
export function pageHeaders({
  html,
  formLeadsTo,
  embedding,
}: Partial<Pick<PageResponse, 'html' | 'formLeadsTo' | 'embedding'>>): Headers {
  if (embedding) return framedHeaders(embedding.loadsFrom);
  const scripts = html && 'content' in html && islandsOf(html).length > 0 ? SCRIPTS : '';
  const target = formLeadsTo === undefined ? '' : ` ${cspSource(formLeadsTo)}`;
  return [
    'content-security-policy',
    `default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'${target}; frame-ancestors 'none'${scripts}`,
    'x-frame-options',
    'DENY',
    'referrer-policy',
    'no-referrer',
    'cache-control',
    'no-store',
  ];
}

/** Pages with scripts run those of this service alone, which write text and never HTML. @source decision 1008 */
const SCRIPTS = "; script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'";

/**
 * The headers of a page that other sites may frame: it runs no script and has no form. There is no `frame-ancestors`,
 * because no value of it includes pages that are opened from a file.
 * @source decision 246
 */
function framedHeaders(loadsFrom: readonly string[]): Headers {
  const media = ["'self'", ...loadsFrom].join(' ');
  return [
    'content-security-policy',
    `default-src 'none'; style-src 'self'; img-src ${media} data:; media-src ${media}; base-uri 'none'; form-action 'none'`,
    'referrer-policy',
    'no-referrer',
    'cache-control',
    'no-store',
  ];
}

/**
 * A URL as a source of a policy: its origin, or its scheme alone where a policy cannot name the host.
 * @source decision 77
 */
function cspSource(address: string): string {
  const { protocol, hostname, host } = new URL(address);
  const isNamed = /^https?:$/.test(protocol) && /^[a-z0-9.-]+$/i.test(hostname);
  return isNamed ? `${protocol}//${host}` : protocol;
}

/** The headers of a static page without a form. */
export function staticPageHeaders(): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'max-age=300',
    'content-security-policy':
      "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
  };
}
