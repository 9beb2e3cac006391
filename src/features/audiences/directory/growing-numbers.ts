/** Numbers of 32 bits that are written one after the other, without an object for each. */
export interface GrowingNumbers {
  push(value: number): void;
  readonly length: number;
  /** What was written so far, without a copy: good until the next `push`. */
  view(): Uint32Array<ArrayBuffer>;
}

/** Numbers, none yet. */
export function growingNumbers(): GrowingNumbers {
  let room = new Uint32Array(1024);
  let length = 0;
  return {
    push(value) {
      if (length === room.length) {
        // Half as much again: doubling would leave a third of the memory unused on average.
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
