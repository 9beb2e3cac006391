import { type Recorder, recorderOf } from './recorder.ts';
import { type RequestRing, requestRing } from './ring.ts';

/** What records the requests of a service; it is there before the parts that it watches. */
export interface RequestTap {
  readonly ring: RequestRing;
  readonly recorder: Recorder;
}

/** Makes one that has recorded nothing yet. */
export function requestTap(): RequestTap {
  const ring = requestRing();
  return { ring, recorder: recorderOf(ring) };
}
