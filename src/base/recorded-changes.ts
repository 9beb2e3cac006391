/** From when on the names of event types are written with dots, UTC. @source advertising: Versioning; activity gaps 16.1 */
export const EVENT_TYPES_RENAMED_AT = '2026-03-18T00:00:00Z';

/** From when on replays have a path of their own, UTC. @source advertising: Versioning; activity gaps 20.2 */
export const REPLAY_MOVED_AT = '2026-03-25T16:00:00Z';
