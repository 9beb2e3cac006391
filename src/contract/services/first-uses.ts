/**
 * Remembers for a while what was used, in a server that several processes share and that may be lost at any time.
 * @source decision 747
 */
export interface FirstUses {
  /**
   * Marks a key as used for `ttl_s` seconds; resolves with whether it was unused.
   * @throws SharedServerAway
   */
  use(key: string, ttl_s: number): Promise<boolean>;
}

/** The shared server is away, slow, or refuses a command. Never the end of a request: there is always another way. */
export class SharedServerAway extends Error {
  override readonly name = 'SharedServerAway';
}
