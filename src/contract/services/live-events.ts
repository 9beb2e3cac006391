import type { LoggedEvent } from '../store/events.ts';

/** Is told of the events of all servers. */
export interface LiveEventsListener {
  /** The position up to which events are known: batches up to there are not passed on. */
  position(): number;
  /** A batch of events, in log order without gaps inside; earlier ones may be missing. */
  onEvents(events: readonly LoggedEvent[]): void;
  /** Some server has appended events that have no positions yet. */
  onAppended(): void;
}

/**
 * Passes events on between servers as soon as they have positions, by a server that several processes share and that may
 * be lost at any time, with everything in it: a server that has missed events reads the log.
 */
export interface LiveEvents {
  /** Passes on events that were stored in the log, in log order. */
  publish(events: readonly LoggedEvent[]): void;
  /** Tells the server that gives positions to events that there are some. */
  noteAppended(): void;
  /** How many calls were in vain. */
  failures(): number;
  close(): Promise<void>;
}
