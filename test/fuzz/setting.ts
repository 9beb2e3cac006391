import type { World } from '../rig/world.ts';
import type { Got, Silence } from './exchange.ts';
import type { PagesGround } from './pages.ts';
import type { ReceiverGround } from './receivers.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Templates } from './templates.ts';

/** What cases send with, and what they may build on. */
export interface Setting {
  readonly world: World;
  readonly templates: Templates;
  readonly receivers: ReceiverGround;
  readonly pages: PagesGround;
  readonly recent: Recent;
}

/** What cases have made lately, which other cases may use. */
export interface Recent {
  note(group: string, id: string): void;
  pick(dice: SeededRandom, group: string): string | undefined;
}

/** How a request is sent and judged. */
export interface Sending {
  /** Keeps the connection, and holds the reply against the description unless `isPage`. */
  send(origin: string, bytes: Buffer, how: SentHow): Promise<Got | Silence>;
  /** Opens a connection of its own and sends bytes in pieces; whatever comes back is judged. */
  say(origin: string, pieces: readonly Buffer[], wait_ms: number): Promise<void>;
}

/** What is known of a request that is sent. */
export interface SentHow {
  readonly method: string;
  readonly target: string;
  readonly isPage?: boolean;
  /** The only statuses that are right, where that is known. */
  readonly only?: readonly number[];
}

/** A kind of case. Whatever it does follows from the dice and the setting. */
export type Kind = (dice: SeededRandom, setting: Setting, sending: Sending) => Promise<void>;

const KEPT = 40;

/** A memory of what was made, that does not grow. */
export function recentThings(): Recent {
  const groups = new Map<string, string[]>();
  return {
    note(group, id) {
      const ids = groups.get(group) ?? [];
      groups.set(group, ids);
      ids.push(id);
      if (ids.length > KEPT) ids.shift();
    },
    pick(dice, group) {
      const ids = groups.get(group);
      return ids && ids.length > 0 ? dice.pick(ids) : undefined;
    },
  };
}
