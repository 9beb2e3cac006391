/** When event type names changed to dotted names, UTC. @source activity 0.2, 16.1 */
export const EVENT_TYPES_RENAMED_AT = '2026-03-18T00:00:00Z';

/** When replays moved to their own path, UTC. @source activity 0.2, 20.2 */
export const REPLAY_MOVED_AT = '2026-03-25T16:00:00Z';
