import findMyWay from 'find-my-way';

/** What a request target names: the path as it was added, and the decoded values of its parameters. */
export interface Route {
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the path that matches a request target; undefined for an unknown path or a malformed escape. */
export type Router = (target: string) => Route | undefined;

const OPTIONS = { ignoreTrailingSlash: true, maxParamLength: 16_384 } as const;

/** Query parameters are parsed later, by the handlers. */
const noQuery = (): object => ({});

const routers = new Map<string, Router>();

/** The router of these paths, as `routerOf` creates it: listeners with the same paths share it. */
export function sharedRouter(paths: readonly string[]): Router {
  const key = paths.join(' ');
  const router = routers.get(key) ?? routerOf(paths);
  routers.set(key, router);
  return router;
}

/**
 * Creates a router of paths with `:parameters`, where literal segments win. A path is added once for all its methods:
 * adding it for each would take most of the startup time of a listener.
 */
export function routerOf(paths: Iterable<string>): Router {
  const router = findMyWay({ ...OPTIONS, querystringParser: noQuery });
  for (const path of paths) router.on('GET', path, () => {}, path);
  return (target) => {
    const found = router.find('GET', target);
    return found ? { path: found.store, params: found.params as Record<string, string> } : undefined;
  };
}
