import { hash } from 'node:crypto';
import { addressBlock } from '../../base/address-block.ts';
import type { Clock } from '../../base/clock.ts';
import { formatInstant, instantMs } from '../../base/instants.ts';
import type { Random } from '../../base/random.ts';
import { isLiveSession, OPERATOR_SESSION_LIFE_S, type OperatorSession } from '../../contract/store/logins.ts';
import type { Store, WriteTransaction } from '../../storage/unit-of-work.ts';
import { TOUCHED_S, type VisitingBrowser } from '../pages/browser-sessions.ts';

/**
 * Creates the sessions of operators, on all servers of the database; `clock` is the wall clock.
 * @source decision 1265
 */
export function operatorSessions(deps: { store: Store; clock: Clock; random: Random }) {
  const { store, clock, random } = deps;
  const secret = (): string => random.bytes(32).toString('base64url');
  return {
    /** Finds the live session of a browser. */
    async find({ cookie, address }: VisitingBrowser): Promise<OperatorSession | undefined> {
      if (cookie === undefined) return undefined;
      const idHash = hash('sha256', cookie);
      const session = await store.read((tx) => tx.operatorSessions.find(idHash));
      const now = clock.now();
      if (!session || !isLiveSession(session, now, OPERATOR_SESSION_LIFE_S)) return undefined;
      if (now - instantMs(session.last_seen_at) >= TOUCHED_S * 1000) {
        const seen = { last_seen_at: formatInstant(now), address: addressBlock(address) };
        await store.write((tx) => tx.operatorSessions.change(idHash, seen));
      }
      return session;
    },
    /** Starts a session in place of the browser's current one; returns the value of its cookie. */
    async start(
      tx: WriteTransaction,
      operator: string,
      { cookie: former, address, browser }: VisitingBrowser,
    ): Promise<string> {
      if (former !== undefined) await tx.operatorSessions.remove(hash('sha256', former));
      const cookie = secret();
      const at = formatInstant(clock.now());
      const seen = { created_at: at, last_seen_at: at, browser, address: addressBlock(address) };
      await tx.operatorSessions.add({ id_hash: hash('sha256', cookie), operator, form_token: secret(), ...seen });
      return cookie;
    },
  };
}
