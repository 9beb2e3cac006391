import { amount, text } from './kinds.ts';

/** Settings of the connection to Redis. */
export const redisSettings = {
  redis_url: text(
    'URL of a Redis or Valkey server, with a database of its own for this service; rate limit windows then survive restarts. Needs `database_url`. Requests are answered without it too.',
    {
      default: '',
      secret: true,
      expected: 'a redis:// or rediss:// address, with a database number or none as its path',
      // The client would take parameters of the URL for its options.
      parse: (url) => (/^rediss?:\/\/[^/?#]+(\/\d{0,5})?$/.test(url) && URL.canParse(url) ? url : undefined),
    },
  ),
  redis_timeout_ms: amount(
    'How long a request waits for a reply of Redis. After that, it and those that follow do without Redis until it answers again.',
    50,
    'milliseconds',
    [5, 10_000],
  ),
};
