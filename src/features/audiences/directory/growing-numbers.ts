type Numbers = Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

/** A growing typed array. */
export interface GrowingNumbers<N extends Numbers = Uint32Array<ArrayBuffer>> {
  push(value: number): void;
  readonly length: number;
  /** A view of the numbers, valid until the next `push`. */
  view(): N;
}

/** Creates an empty list of 32-bit numbers. */
export function growingNumbers(): GrowingNumbers {
  return growing((length) => new Uint32Array(length));
}

/** Creates an empty list of 16-bit numbers. */
export function growingCodes(): GrowingNumbers<Uint16Array<ArrayBuffer>> {
  return growing((length) => new Uint16Array(length));
}

/** Creates an empty list of bytes. */
export function growingBytes(): GrowingNumbers<Uint8Array<ArrayBuffer>> {
  return growing((length) => new Uint8Array(length));
}

function growing<N extends Numbers>(roomFor: (length: number) => N): GrowingNumbers<N> {
  let room = roomFor(1024);
  let length = 0;
  return {
    push(value) {
      if (length === room.length) {
        // Grows by half, because doubling would waste a third of the memory on average.
        const wider = roomFor(Math.ceil(length * 1.5));
        wider.set(room);
        room = wider;
      }
      room[length++] = value;
    },
    get length() {
      return length;
    },
    view: () => room.subarray(0, length) as N,
  };
}
