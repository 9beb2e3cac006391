import { bool, integer } from './kinds.ts';

/** Settings of event streams: keep-alive, and when slow readers are disconnected. */
export const streamSettings = {
  stream_keep_alive_s: integer('Interval of keep-alive signals on idle streams.', {
    default: 15,
    unit: 'seconds',
    bounds: [1, 19],
  }),
  stream_waiting_events_max: integer('Events queued for a slow reader before its stream is closed.', {
    default: 1000,
    unit: 'events',
    bounds: [1, 1_000_000],
  }),
  stream_waiting_bytes_max: integer('Bytes queued for a slow reader before its stream is closed.', {
    default: 5_242_880,
    unit: 'bytes',
    bounds: [1, 4_294_967_296],
  }),
  stream_behind_max_s: integer('Seconds that a slow reader may lag behind before its stream is closed.', {
    default: 60,
    unit: 'seconds',
    bounds: [1, 3600],
  }),
  stream_replace_oldest: bool('A stream beyond the limit closes the oldest one instead of being refused.', {
    default: false,
  }),
};
