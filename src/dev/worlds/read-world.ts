import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type ParsedNode, parseDocument } from 'yaml';
import { InputErrors } from '../../base/input-error.ts';
import type { AccountInput } from '../../features/ads/administration/account-input.ts';
import { planOf } from './account-object.ts';
import { Complaints, type Located } from './checker.ts';
import { checkIdentities } from './identities.ts';
import type { Operations } from './sections.ts';
import { checkWorld, type World } from './world.ts';

/** The dependencies of reading a world. */
export interface ReadContext {
  readonly operations: Operations;
  readonly accountInput: AccountInput;
  /** Custom schemes of callbacks that the operator allows. */
  readonly schemes: readonly string[];
  /** UTC text. */
  readonly now: string;
}

/** Reads the text of a world file. @throws InputErrors, with the file, line and member of each */
export function readWorld(text: string, file: string, context: ReadContext): World {
  const root = readYaml(text, file);
  const complaints = new Complaints(file);
  const world = checkWorld(root, { ...context, complaints });
  checkIdentities(world, { ...context, complaints });
  for (const account of world.accounts) {
    if (account.users.some(({ input }) => input.role === undefined)) continue;
    // Ids are not known before it is created.
    const ids = {
      account: 'a',
      user: (key: string) => key.toLowerCase().replaceAll(/[^a-z0-9]/g, ''),
      instruments: [],
    };
    const id = account.members.get('id')?.value;
    const instruments = account.funding.map((_, index) => String(index));
    planOf(
      account,
      { ...ids, ...(typeof id === 'string' && { account: id }), instruments },
      { ...context, complaints },
    );
  }
  complaints.refuse();
  return world;
}

/** Aliases may refer to what contains them; nothing useful is this deep. */
const DEPTH_MAX = 32;
/** Values that aliases may stand for in all: a few lines can name billions. */
const ALIASED_MAX = 100_000;

/**
 * Reads the text of a YAML or JSON file.
 * @throws InputErrors
 */
function readYaml(text: string, file: string): Located {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, strict: true });
  const lineAt = (offset: number): number => lines.linePos(offset).line;
  if (document.errors.length > 0) {
    throw new InputErrors(document.errors.map(({ message, pos }) => `${file}:${lineAt(pos[0])}: ${message}`));
  }
  const wrong = (node: { readonly range?: readonly number[] | null }, message: string): never => {
    throw new InputErrors([`${file}:${lineAt(node.range?.[0] ?? 0)}: ${message}`]);
  };

  let aliased = 0;
  let isAliased = false;

  function locate(node: ParsedNode | null, path: string, from: number, depth: number): Located {
    if (isAliased) aliased += 1;
    if (aliased > ALIASED_MAX && node) return wrong(node, `${path}: aliases stand for more than ${ALIASED_MAX} values`);
    if (node === null) return { path, line: lineAt(from), value: null };
    const start = node.range?.[0] ?? from;
    const line = lineAt(start);
    if (depth > DEPTH_MAX) return wrong(node, `${path}: nested too deeply`);
    if (isAlias(node)) {
      const target = (node as { resolve(of: Document): unknown }).resolve(document as Document);
      const before = isAliased;
      isAliased = true;
      const found = locate(target as ParsedNode, path, start, depth + 1);
      isAliased = before;
      return { ...found, line };
    }
    if (isSeq(node)) {
      const items = node.items.map((item, index) => locate(item as ParsedNode, `${path}[${index}]`, start, depth + 1));
      return { path, line, value: items };
    }
    if (isMap(node)) {
      const members = node.items.map(({ key, value }) => {
        if (!isScalar(key)) return wrong(node, `${path}: names of members must be text`);
        const name = String(key.source ?? key.value);
        const at = (key as ParsedNode).range?.[0] ?? start;
        const found = locate(value as ParsedNode | null, path === '' ? name : `${path}.${name}`, at, depth + 1);
        // Of what spans several lines, the name says more than the first line of the contents.
        const isLarge = typeof found.value === 'object' && found.value !== null;
        return [name, isLarge ? { ...found, line: lineAt(at) } : found] as const;
      });
      return { path, line, value: new Map(members) };
    }
    if (!isScalar(node)) return wrong(node, `${path}: expected a value`);
    const { value, source } = node;
    if (typeof value === 'number') return { path, line, value, ...(source !== undefined && { source }) };
    return { path, line, value: value as string | boolean | null };
  }

  return locate(document.contents, '', 0, 0);
}
