import { integer } from './kinds.ts';

/**
 * Limits on connections, and on what callers cost before they are authenticated.
 * @source decision 473, 474, 476, 477, 623, 626
 */
export const connectionSettings = {
  connections_max: integer(
    'Maximum connections of both listeners; one more replaces an idle unauthenticated one or is refused with 503.',
    {
      default: 10_000,
      unit: 'connections',
      bounds: [10, 1_000_000],
    },
  ),
  connections_per_address_max: integer(
    'Open connections from one address (IPv6: one /64); one more is refused with 429. Trusted proxies are not limited.',
    { default: 1000, unit: 'connections', bounds: [1, 1_000_000] },
  ),
  unauthenticated_idle_connections_max: integer(
    'Maximum idle connections without authenticated requests; beyond it, the one idle longest is closed.',
    { default: 1000, unit: 'connections', bounds: [1, 1_000_000] },
  ),
  request_head_timeout_s: integer('How long a client may take to send the head of a request, or its TLS handshake.', {
    default: 20,
    unit: 'seconds',
    bounds: [1, 120],
  }),
  request_grace_s: integer('How long a form body may take before its minimum rate applies.', {
    default: 20,
    unit: 'seconds',
    bounds: [1, 120],
  }),
  request_bytes_per_s_min: integer('Minimum average rate of a form body after that; slower ones end with 408.', {
    default: 500,
    unit: 'bytes per second',
    bounds: [1, 1_000_000],
  }),
  reply_stall_timeout_s: integer('How long a client may leave a reply unread before its connection is closed.', {
    default: 60,
    unit: 'seconds',
    bounds: [1, 3600],
  }),
  unauthenticated_body_bytes_max: integer(
    'Maximum size of a form body whose credential is unknown: forms are read before their signature can be checked.',
    { default: 65_536, unit: 'bytes', bounds: [1024, 104_857_600] },
  ),
  unauthenticated_bytes_max: integer(
    'Memory for incomplete unauthenticated requests; when it is full, the oldest is refused.',
    { default: 67_108_864, unit: 'bytes', bounds: [1_048_576, 17_179_869_184] },
  ),
  authenticated_bytes_max: integer(
    'Memory for incomplete bodies of authenticated requests; one user or application may use half of it.',
    { default: 536_870_912, unit: 'bytes', bounds: [16_777_216, 68_719_476_736] },
  ),
};
