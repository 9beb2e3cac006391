import type { Headers } from '../reply.ts';

/**
 * The headers of every page. A form may lead to the page's own origin and, by the redirect after it, to the callback:
 * browsers hold `form-action` against redirects too.
 * @source authentication gaps 15.2
 */
export function pageHeaders(leadsTo: string | undefined): Headers {
  const target = leadsTo === undefined ? '' : ` ${formTarget(leadsTo)}`;
  return [
    'content-security-policy',
    `default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'${target}; frame-ancestors 'none'`,
    'x-frame-options',
    'DENY',
    'x-content-type-options',
    'nosniff',
    'referrer-policy',
    'no-referrer',
    'cache-control',
    'no-store',
  ];
}

/** An address as a policy can name it: its origin, or its scheme alone where a policy cannot name the host. */
export function formTarget(address: string): string {
  const { protocol, hostname, host } = new URL(address);
  const isNamed = /^https?:$/.test(protocol) && /^[a-z0-9.-]+$/i.test(hostname);
  return isNamed ? `${protocol}//${host}` : protocol;
}
