import { amount, bool } from './kinds.ts';

/** Settings of event streams: keep-alive, and when slow readers are disconnected. */
export const streamSettings = {
  stream_keep_alive_s: amount('Interval of keep-alive signals on idle streams.', 15, 'seconds', [1, 19]),
  stream_waiting_events_max: amount(
    'Events queued for a slow reader before its stream is closed.',
    1000,
    'events',
    [1, 1_000_000],
  ),
  stream_waiting_bytes_max: amount(
    'Bytes queued for a slow reader before its stream is closed.',
    5_242_880,
    'bytes',
    [1, 4_294_967_296],
  ),
  stream_behind_max_s: amount(
    'Seconds that a slow reader may lag behind before its stream is closed.',
    60,
    'seconds',
    [1, 3600],
  ),
  stream_replace_oldest: bool('A stream beyond the limit closes the oldest one instead of being refused.', {
    default: false,
  }),
};
