import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** A section of a chapter of the protocol, such as `authentication 2.4`. */
export interface ProtocolSection {
  readonly id: string;
  readonly title: string;
  /** The names of the files below `Tests:`; undefined without that line. */
  readonly tests: readonly string[] | undefined;
  readonly sentences: readonly Sentence[];
}

/** A numbered sentence, such as `authentication 2.4.1`: an item of a list, or a row of a table. */
interface Sentence {
  readonly id: string;
  readonly text: string;
  /** The cells of a row after its number; of an item, its text. */
  readonly cells: readonly string[];
}

/** The folder of the chapters. */
const FOLDER = join(import.meta.dirname, '../../docs/protocol');

/** Reads the sections of all chapters, or of one. */
export function readProtocol(chapter = '*'): ProtocolSection[] {
  return globSync(`${FOLDER}/${chapter}.md`)
    .filter((path) => basename(path) !== 'README.md')
    .sort()
    .flatMap((path) => sectionsOf(basename(path, '.md'), readFileSync(path, 'utf8')));
}

/** The cells of a sentence. @throws Error when there is no such sentence */
export function cellsOf(id: string): readonly string[] {
  const found = readProtocol(id.split(' ')[0]).flatMap(({ sentences }) => sentences);
  const sentence = found.find((each) => each.id === id);
  if (!sentence) throw new Error(`there is no sentence ${id}`);
  return sentence.cells;
}

function sectionsOf(chapter: string, text: string): ProtocolSection[] {
  return [...text.matchAll(/^##+ (\d+(?:\.\d+)*) (.+)\n((?:(?!##).*\n?)*)/gm)].map(([, number, title, body]) => {
    const [, names] = /^Tests: (.+)$/m.exec(body!) ?? [];
    const sentences = [...body!.matchAll(/^(?:- \*\*([\d.]+)\*\* (.+)|\| \*\*([\d.]+)\*\* \| (.+) \|)$/gm)];
    return {
      id: `${chapter} ${number}`,
      title: title!,
      tests: names === undefined ? undefined : [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
      sentences: sentences.map(([, item, text, row, line]) => {
        const cells = text === undefined ? line!.split(' | ').map((cell) => cell.trim()) : [text];
        return { id: `${chapter} ${item ?? row}`, text: cells.join(': '), cells };
      }),
    };
  });
}
