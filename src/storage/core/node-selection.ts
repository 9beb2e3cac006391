import { type RawBuilder, sql } from 'kysely';
import type { NodeSelection } from '../../contract/store/nodes.ts';
import { paddedSize } from './in-lists.ts';
import type { Param } from './statements.ts';

/** A selection of nodes as a condition of statements. */
export interface NodeCondition {
  /** A part of the statement key: conditions of one shape have the same SQL. */
  readonly shape: string;
  /** An argument of the statement. */
  readonly nodes: readonly string[];
  /** Whether a column names a node of the selection. What no node holds belongs to none of the listed, so to the others. */
  on(column: string, param: Param<{ readonly nodes: readonly string[] }>): RawBuilder<boolean>;
}

/** The condition of a selection. */
export function nodeCondition(selection: NodeSelection): NodeCondition {
  if ('allExcept' in selection) {
    return {
      shape: 'others',
      nodes: [selection.allExcept],
      on: (column, param) =>
        sql<boolean>`(${sql.ref(column)} is null or ${sql.ref(column)} <> ${sql.join(param.list('nodes', 1))})`,
    };
  }
  const size = paddedSize(selection.ids.length);
  return {
    shape: `some ${size}`,
    nodes: selection.ids,
    on: (column, param) => sql<boolean>`${sql.ref(column)} in (${sql.join(param.list('nodes', size))})`,
  };
}
