import { formatInstant } from '../../../base/instants.ts';
import type { LoginSettings, RequestToken, RequestTokenState } from '../../../contract/store/grants.ts';

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

/** How long rows are kept after they ended, in seconds. */
export const RETENTION_S = 24 * 3600;

/** The state at a time: what outlived its lifetime has expired. The last moment is still inside. */
export function stateAt({ state, expires_at }: RequestToken, now: string): RequestTokenState {
  return isFinal(state) || now <= expires_at ? state : 'expired';
}

/** Whether nothing leads out of a state. */
export function isFinal(state: RequestTokenState): boolean {
  return Object.keys(TRANSITIONS[state]).length === 0;
}

/** What a wrong verifier is, after so many of them. */
export function wrongVerifierEvent(attempts: number, rules: LoginSettings): RequestTokenEvent {
  return attempts + 1 >= rules.verifier_attempts_max ? 'last mistake' : 'mistake';
}

/** The state after an event; undefined when the event is refused. */
export function nextState(state: RequestTokenState, event: RequestTokenEvent): RequestTokenState | undefined {
  return TRANSITIONS[state][event];
}

/** UTC text of the end of a lifetime that begins now. */
export function expiryFrom(state: 'issued' | 'authorized', now_ms: number, rules: LoginSettings): string {
  const lifetime_s = state === 'issued' ? rules.request_token_ttl_s : rules.verifier_ttl_s;
  return formatInstant(now_ms + lifetime_s * 1000);
}
