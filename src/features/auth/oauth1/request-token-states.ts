import { formatInstant } from '../../../base/instants.ts';
import type { LoginSettings, RequestToken, RequestTokenState } from '../../../contract/store/grants.ts';

/**
 * An event in the life of a request token. `withdraw` is a user who revokes the access of the application; `void` is an
 * application that is suspended or gets new keys.
 */
export type RequestTokenEvent = 'approve' | 'deny' | 'exchange' | 'mistake' | 'last mistake' | 'withdraw' | 'void';

/**
 * The state machine of request tokens: state, event, next state. An event without a next state is refused and changes
 * nothing. `issued` and `authorized` also end in `expired` by time.
 * @source authentication 8
 */
const TRANSITIONS: Readonly<
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

/** The state at a time: `expired` after the lifetime, whose last moment is included. */
export function stateAt({ state, expires_at }: RequestToken, now: string): RequestTokenState {
  return isFinal(state) || now <= expires_at ? state : 'expired';
}

/** Whether no event leads out of a state. */
export function isFinal(state: RequestTokenState): boolean {
  return Object.keys(TRANSITIONS[state]).length === 0;
}

/** The event of a wrong verifier after `attempts` earlier ones. */
export function wrongVerifierEvent(attempts: number, rules: LoginSettings): RequestTokenEvent {
  return attempts + 1 >= rules.verifier_attempts_max ? 'last mistake' : 'mistake';
}

/** The state after an event; undefined when the event is refused. */
export function nextState(state: RequestTokenState, event: RequestTokenEvent): RequestTokenState | undefined {
  return TRANSITIONS[state][event];
}

/** The end of a lifetime that begins now, UTC text. */
export function expiryFrom(state: 'issued' | 'authorized', now_ms: number, rules: LoginSettings): string {
  const lifetime_s = state === 'issued' ? rules.request_token_ttl_s : rules.verifier_ttl_s;
  return formatInstant(now_ms + lifetime_s * 1000);
}
