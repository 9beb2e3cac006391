import { piecesOf } from '../../base/words.ts';

/** Which terms have a word as a part, such as `l'eau` has `eau`. */
export interface WordParts {
  /** Adds the terms of a dictionary that it does not have. */
  extend(terms: number, text: (term: number) => string): void;
  /** The terms that may have a word as a part: all that have the first piece of it. */
  having(word: string): readonly number[];
}

/** No terms. */
export function emptyParts(): WordParts {
  const byPiece = new Map<string, number[]>();
  let known = 0;
  return {
    extend(terms, text) {
      for (; known < terms; known++) {
        const pieces = piecesOf(text(known));
        if (pieces.length < 2) continue;
        for (const piece of new Set(pieces)) {
          const found = byPiece.get(piece);
          if (found) found.push(known);
          else byPiece.set(piece, [known]);
        }
      }
    },
    having(word) {
      const [first = ''] = piecesOf(word);
      return byPiece.get(first) ?? [];
    },
  };
}
