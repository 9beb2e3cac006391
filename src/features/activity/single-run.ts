/** Work that runs once at a time. */
export interface SingleRun {
  /** Starts a run, unless one is in progress. */
  run(): void;
  /** Resolves when no run is in progress. */
  ended(): Promise<void>;
}

/**
 * Runs work once at a time, and again while there is more. The database may be unavailable for a while: a failure is
 * reported once, and again only after a success.
 */
export function singleRun(
  work: () => Promise<void>,
  { hasMore, onError }: { readonly hasMore: () => boolean; readonly onError: (error: unknown) => void },
): SingleRun {
  let isFailing = false;
  let running: Promise<void> | undefined;
  const run = (): void => {
    running ??= work()
      .then(
        () => {
          isFailing = false;
        },
        (error) => {
          if (!isFailing) onError(error);
          isFailing = true;
        },
      )
      .finally(() => {
        running = undefined;
        if (hasMore()) run();
      });
  };
  return { run, ended: async () => running };
}
