/** What one call is charged to: one window. */
export interface WindowCharge {
  /** Names the window, among those of callers and accounts or among those of addresses. */
  readonly key: string;
  /** Callers cannot choose their number of tokens, but can choose their number of addresses: kept apart in memory. */
  readonly isOfAddress: boolean;
  readonly window_s: number;
  /** The number of calls that the window allows. */
  readonly limit: number;
}

/** The count of an open window, and when it ends, in Unix seconds. */
export interface WindowState {
  readonly used: number;
  readonly reset_s: number;
}

/** What became of a call: the state of each window afterwards, in the order of the charges. */
export interface WindowUsage {
  readonly isRefused: boolean;
  /** How many calls it counted as. */
  readonly calls: number;
  readonly windows: readonly WindowState[];
}

/**
 * Fixed windows that open with their first call. Implementations in memory are synchronous, so that a call waits for
 * nothing; others return promises, which never reject.
 * @source decision 744
 */
export interface RateWindows {
  /** Counts a call in all its windows, or in none if one of them is full. */
  take(charges: readonly WindowCharge[], now_s: number): WindowUsage | Promise<WindowUsage>;
  /** The windows as they are; one that is not open is shown as if it opened now. Counts nothing and opens none. */
  peek(charges: readonly WindowCharge[], now_s: number): readonly WindowState[] | Promise<readonly WindowState[]>;
  /** Refunds a counted call in the background. */
  refund(charges: readonly WindowCharge[], usage: WindowUsage): void;
  /** Forgets all windows; undefined where other processes count in them too. */
  readonly clear?: () => void;
}

/** Windows in memory of this process; beside a server that several processes share, also what that server said last. */
export interface LocalRateWindows extends RateWindows {
  take(charges: readonly WindowCharge[], now_s: number): WindowUsage;
  peek(charges: readonly WindowCharge[], now_s: number): readonly WindowState[];
  /** The open window of a charge, if any. */
  find(charge: WindowCharge, now_s: number): WindowState | undefined;
  /** Takes over the state of a window as it is elsewhere. */
  adopt(charge: WindowCharge, state: WindowState, now_s: number): void;
}
