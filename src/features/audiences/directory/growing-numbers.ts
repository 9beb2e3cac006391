type Numbers = Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

/** A growing list of numbers without an object for each. */
export interface GrowingNumbers<N extends Numbers = Uint32Array<ArrayBuffer>> {
  push(value: number): void;
  readonly length: number;
  /** The numbers so far, not copied: valid until the next `push`. */
  view(): N;
}

/** An empty list of numbers of 32 bits. */
export function growingNumbers(): GrowingNumbers {
  return growing((length) => new Uint32Array(length));
}

/** An empty list of codes of 16 bits. */
export function growingCodes(): GrowingNumbers<Uint16Array<ArrayBuffer>> {
  return growing((length) => new Uint16Array(length));
}

/** An empty list of bytes. */
export function growingBytes(): GrowingNumbers<Uint8Array<ArrayBuffer>> {
  return growing((length) => new Uint8Array(length));
}

function growing<N extends Numbers>(roomFor: (length: number) => N): GrowingNumbers<N> {
  let room = roomFor(1024);
  let length = 0;
  return {
    push(value) {
      if (length === room.length) {
        // Growing by half: doubling would leave a third of the memory unused on average.
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
