import { bool, integer } from './kinds.ts';

/** How streams of events are kept alive, and when they are given up. */
export const streamSettings = {
  stream_keep_alive_s: integer('A stream says something at least this often; readers take silence for a broken line.', {
    default: 15,
    unit: 'seconds',
    bounds: [1, 19],
  }),
  stream_waiting_events_max: integer('So many events wait for a slow reader before its stream is closed.', {
    default: 1000,
    unit: 'events',
    bounds: [1, 1_000_000],
  }),
  stream_waiting_bytes_max: integer('The same, counted in bytes: what one reader can take of the memory.', {
    default: 5_242_880,
    unit: 'bytes',
    bounds: [1, 4_294_967_296],
  }),
  stream_behind_max_s: integer('The same, counted in time.', {
    default: 60,
    unit: 'seconds',
    bounds: [1, 3600],
  }),
  stream_replace_oldest: bool('A further stream of an application closes its oldest one, instead of being refused.', {
    default: false,
  }),
};
