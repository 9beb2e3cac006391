import { formatInstant } from '../../base/instants.ts';
import type { RequestToken, RequestTokenState } from '../../contract/grants.ts';

/**
 * What can happen to a request token. A user withdraws what the application has; all of an application is void when it is
 * suspended or gets new keys.
 */
export type RequestTokenEvent = 'approve' | 'deny' | 'exchange' | 'mistake' | 'last mistake' | 'withdraw' | 'void';

/**
 * The life of a request token: state, event, next state. Where no next state stands, the event is refused and nothing
 * changes. Both lifetimes end in `expired` by themselves.
 * @source authentication gaps 8
 */
export const TRANSITIONS: Readonly<
  Record<RequestTokenState, Readonly<Partial<Record<RequestTokenEvent, RequestTokenState>>>>
> = {
  issued: { approve: 'authorized', deny: 'denied', void: 'expired' },
  authorized: {
    exchange: 'exchanged',
    mistake: 'authorized',
    'last mistake': 'expired',
    withdraw: 'denied',
    void: 'expired',
  },
  denied: {},
  expired: {},
  exchanged: {},
};

/** Seconds for which a user may decide, and for which the application may fetch what he decided. */
export const LIFETIME_S = { issued: 15 * 60, authorized: 10 * 60 } as const;

/** Wrong verifiers that end a request token. */
export const MISTAKES_MAX = 5;

/** How long rows are kept after they ended, in seconds. */
export const KEPT_S = 24 * 3600;

/** The state at a time: what outlived its lifetime has expired. The last moment is still inside. */
export function stateAt({ state, expires_at }: RequestToken, now: string): RequestTokenState {
  return isFinal(state) || now <= expires_at ? state : 'expired';
}

/** Whether nothing leads out of a state. */
export function isFinal(state: RequestTokenState): boolean {
  return Object.keys(TRANSITIONS[state]).length === 0;
}

/** The state after an event; undefined when the event is refused. */
export function after(state: RequestTokenState, event: RequestTokenEvent): RequestTokenState | undefined {
  return TRANSITIONS[state][event];
}

/** UTC text of the end of a lifetime that begins now. */
export function endOf(state: keyof typeof LIFETIME_S, now_ms: number): string {
  return formatInstant(now_ms + LIFETIME_S[state] * 1000);
}
