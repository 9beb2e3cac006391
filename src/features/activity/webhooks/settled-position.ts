/** The deliveries of a part of the log to one webhook; it is complete when none of them is pending. */
export interface LogBatch {
  readonly lastPosition: number;
  pending: number;
}

/** How far the log has been read for webhooks. */
export interface LogCursor {
  position: number;
}

/** The log position up to which all necessary deliveries to one webhook are stored, or about to be. */
export class SettledPosition {
  /** How far the log has been read: events up to there outside any batch were not for this webhook. */
  cursor: LogCursor;
  #floor: number;
  #position: number;
  readonly #batches: LogBatch[] = [];

  /** `floor` is settled already, wherever the cursor is. */
  constructor(cursor: LogCursor, floor: number) {
    this.cursor = cursor;
    this.#floor = floor;
    this.#position = floor;
  }

  /** Whether an event was settled before this node took the webhook. */
  isBefore(position: number): boolean {
    return position <= this.#floor;
  }

  /** Adds the next batch, before the cursor moves to its end. */
  add(lastPosition: number, pending: number): LogBatch {
    if (this.#batches.length === 0) this.#position = Math.max(this.#floor, this.cursor.position);
    const batch = { lastPosition, pending };
    this.#batches.push(batch);
    return batch;
  }

  get(): number {
    let count = 0;
    while (count < this.#batches.length && this.#batches[count]!.pending === 0) {
      this.#position = Math.max(this.#floor, this.#batches[count++]!.lastPosition);
    }
    if (count > 0) this.#batches.splice(0, count);
    return this.#batches.length === 0 ? Math.max(this.#floor, this.cursor.position) : this.#position;
  }

  /** Positions may be used again after a failover; the floor is needed only until the cursor has passed it. */
  forgetFloor(): void {
    if (this.cursor.position >= this.#floor) this.#floor = 0;
  }
}
