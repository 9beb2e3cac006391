import { releaseMemory } from '../../../base/release-memory.ts';
import { readPacked, UPDATE } from '../uploads/packed-format.ts';

/** An upload that is not merged yet. */
export interface PendingUpload {
  readonly accepted_at: number;
  readonly payload: Uint8Array;
}

/** Uploads as columns, in log order: operations, their people, and the identifiers of those. */
export interface UnpackedUploads {
  /** By operation: whether it adds, its window, when it was accepted, and the index after its last person. */
  readonly isUpdate: Uint8Array;
  readonly effective_at: Uint32Array;
  readonly expires_at: Uint32Array;
  readonly accepted_at: Uint32Array;
  readonly peopleEnd: Uint32Array;
  /** By person: the index after their last identifier. */
  readonly identifiersEnd: Uint32Array;
  /** By identifier: four big-endian numbers, which sort like its bytes. */
  readonly words: Uint32Array;
}

interface Counts {
  operations: number;
  people: number;
  identifiers: number;
}

/** Unpacks uploads into columns, and releases their memory. */
export function unpackUploads(uploads: readonly PendingUpload[]): UnpackedUploads {
  const counts: Counts = { operations: 0, people: 0, identifiers: 0 };
  for (const { payload } of uploads) {
    readPacked(payload, {
      operation() {
        counts.operations += 1;
      },
      person(_at, identifiers) {
        counts.people += 1;
        counts.identifiers += identifiers;
      },
    });
  }
  const pending: UnpackedUploads = {
    isUpdate: new Uint8Array(counts.operations),
    effective_at: new Uint32Array(counts.operations),
    expires_at: new Uint32Array(counts.operations),
    accepted_at: new Uint32Array(counts.operations),
    peopleEnd: new Uint32Array(counts.operations),
    identifiersEnd: new Uint32Array(counts.people),
    words: new Uint32Array(counts.identifiers * 4),
  };
  const read: Counts = { operations: 0, people: 0, identifiers: 0 };
  for (const upload of uploads) {
    addTo(pending, upload, read);
    releaseMemory(upload.payload);
  }
  return pending;
}

function addTo(pending: UnpackedUploads, { payload, accepted_at }: PendingUpload, read: Counts): void {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  const { words, identifiersEnd } = pending;
  readPacked(payload, {
    operation(type, effective_at, expires_at, people) {
      const operation = read.operations++;
      pending.isUpdate[operation] = type === UPDATE ? 1 : 0;
      pending.effective_at[operation] = effective_at;
      pending.expires_at[operation] = expires_at;
      pending.accepted_at[operation] = accepted_at;
      pending.peopleEnd[operation] = read.people + people;
    },
    person(at, identifiers) {
      const end = read.identifiers + identifiers;
      for (let word = read.identifiers * 4, from = at; word < end * 4; word++, from += 4) {
        words[word] = view.getUint32(from, false);
      }
      read.identifiers = end;
      identifiersEnd[read.people++] = end;
    },
  });
}
