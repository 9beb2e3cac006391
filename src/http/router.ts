import findMyWay from 'find-my-way';

/** What a request target names: the path as it was added, and the values of its parameters, decoded. */
export interface Route {
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the path that a request target names; undefined for an unknown path and for one with a malformed escape. */
export type Router = (target: string) => Route | undefined;

/** As fastify reads paths too: what a router does not find is looked up there. */
export const ROUTER_OPTIONS = { ignoreTrailingSlash: true, maxParamLength: 16_384 } as const;

/** Parameters of a query are read by whoever answers. */
const noQuery = (): object => ({});

/**
 * Makes a router of paths with `:parameters`, where literal segments win. Paths are added once whatever methods they have:
 * to add each for every method takes most of the time in which a listener starts.
 */
export function routerOf(paths: Iterable<string>): Router {
  const router = findMyWay({ ...ROUTER_OPTIONS, querystringParser: noQuery });
  for (const path of paths) router.on('GET', path, () => {}, path);
  return (target) => {
    const found = router.find('GET', target);
    return found ? { path: found.store, params: found.params as Record<string, string> } : undefined;
  };
}
