import { amount } from './kinds.ts';

/**
 * Limits on connections, and on what callers cost before they are authenticated.
 * @source decision 473, 474, 476, 477, 623, 626
 */
export const connectionSettings = {
  connections_max: amount(
    'Maximum connections of both listeners; one more replaces an idle unauthenticated one or is refused with 503.',
    10_000,
    'connections',
    [10, 1_000_000],
  ),
  connections_per_address_max: amount(
    'Open connections from one address (IPv6: one /64); one more is refused with 429. Trusted proxies are not limited.',
    1000,
    'connections',
    [1, 1_000_000],
  ),
  unauthenticated_idle_connections_max: amount(
    'Maximum idle connections without authenticated requests; beyond it, the one idle longest is closed.',
    1000,
    'connections',
    [1, 1_000_000],
  ),
  request_head_timeout_s: amount(
    'How long a client may take to send the head of a request, or its TLS handshake.',
    20,
    'seconds',
    [1, 120],
  ),
  request_grace_s: amount('How long a form body may take before its minimum rate applies.', 20, 'seconds', [1, 120]),
  request_bytes_per_s_min: amount(
    'Minimum average rate of a form body after that; slower ones end with 408.',
    500,
    'bytes per second',
    [1, 1_000_000],
  ),
  reply_stall_timeout_s: amount(
    'How long a client may leave a reply unread before its connection is closed.',
    60,
    'seconds',
    [1, 3600],
  ),
  unauthenticated_body_bytes_max: amount(
    'Maximum size of a form body whose credential is unknown: forms are read before their signature can be checked.',
    65_536,
    'bytes',
    [1024, 104_857_600],
  ),
  unauthenticated_bytes_max: amount(
    'Memory for incomplete unauthenticated requests; when it is full, the oldest is refused.',
    67_108_864,
    'bytes',
    [1_048_576, 17_179_869_184],
  ),
  authenticated_bytes_max: amount(
    'Memory for incomplete bodies of authenticated requests; one user or application may use half of it.',
    536_870_912,
    'bytes',
    [16_777_216, 68_719_476_736],
  ),
};
