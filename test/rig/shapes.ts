import type { Operation } from '../../src/contract/declare/operation.ts';
import type { AnyResource } from '../../src/contract/declare/resource.ts';
import { sampled } from './sampling.ts';

/** How an operation is called and answers. */
export function shapeOf({ method, body, shape, family }: Operation): string {
  return `${method} ${body} ${shape} ${family}`;
}

/** Operations that show each kind of parameter in each shape of an operation, and a share of the others. */
export function sampledOperations(operations: readonly Operation[]): readonly Operation[] {
  const cases = operations.flatMap((operation) =>
    ['', ...new Set(Object.values(operation.parameters).map(({ kind }) => kind.name))].map((kind) => ({
      operation,
      kind,
    })),
  );
  const chosen = sampled(
    cases,
    ({ operation, kind }) => `${shapeOf(operation)} ${kind}`,
    // Those of one operation are drawn together.
    ({ operation }) => operation.id,
  );
  return operations.filter((each) => chosen.some(({ operation }) => operation === each));
}

/** Resources whose lists are declared in every way that there is, and a share of the others. */
export function sampledResources(resources: readonly AnyResource[]): readonly AnyResource[] {
  return sampled(
    resources,
    ({ list = {}, scope, parent, key, deletion }) =>
      JSON.stringify([Object.keys(list).sort(), scope, !parent, !key, deletion?.hard]),
    ({ plural }) => plural,
  );
}
