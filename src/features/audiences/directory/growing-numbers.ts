/** A growing list of 32-bit numbers without an object for each. */
export interface GrowingNumbers {
  push(value: number): void;
  readonly length: number;
  /** The numbers so far, not copied: valid until the next `push`. */
  view(): Uint32Array<ArrayBuffer>;
}

/** An empty list. */
export function growingNumbers(): GrowingNumbers {
  let room = new Uint32Array(1024);
  let length = 0;
  return {
    push(value) {
      if (length === room.length) {
        // Growing by half: doubling would leave a third of the memory unused on average.
        const wider = new Uint32Array(Math.ceil(length * 1.5));
        wider.set(room);
        room = wider;
      }
      room[length++] = value;
    },
    get length() {
      return length;
    },
    view: () => room.subarray(0, length),
  };
}
