import type { AsyncLocalStorage } from 'node:async_hooks';
import type { WrittenRows } from '../../contract/store/written-rows.ts';
import type { Driver } from './driver.ts';
import type { Session } from './session.ts';
import type { Args, Build, Statements } from './statements.ts';

/** Observes each statement of a unit of work. */
interface StatementObserver {
  /** @param statement its key, or the SQL of one without a key. */
  addStatement(statement: string, duration_ms: number, wrote?: WrittenRows): void;
}

/** The observer of the current async context, if any. */
export type StatementScope = AsyncLocalStorage<StatementObserver | undefined>;

/** A driver that reports statements to the observer in whose scope their unit of work began; for development mode. */
export function observedDriver(driver: Driver, scope: StatementScope): Driver {
  // The store caches its tables by session, so each session has one observed twin.
  const twins = new WeakMap<Session, Session>();
  const twinOf = (session: Session): Session => {
    let twin = twins.get(session);
    if (!twin) {
      twin = observedSession(session, scope, driver.statements);
      twins.set(session, twin);
    }
    return twin;
  };
  const around = <T>(work: (session: Session) => Promise<T>): ((session: Session) => Promise<T>) => {
    const observer = scope.getStore();
    // The unit may run in the turn of another caller.
    return observer ? (session) => scope.run(observer, work, twinOf(session)) : work;
  };
  const { writeUrgent, writeTogether: _, ...others } = driver;
  return {
    ...others,
    read: (work) => driver.read(around(work)),
    write: (work) => driver.write(around(work)),
    ...(writeUrgent && { writeUrgent: (work) => writeUrgent(around(work)) }),
  };
}

const WRITE = /^(insert|update|delete)(?: into| from)? "(\w+)"/;

function observedSession(session: Session, scope: StatementScope, statements: Statements): Session {
  const timed = <T>(statement: string, run: () => Promise<T>, wrote?: () => WrittenRows | undefined): Promise<T> => {
    const startedAt_ms = performance.now();
    const running = run();
    const tell = (rows?: WrittenRows): void =>
      scope.getStore()?.addStatement(statement, performance.now() - startedAt_ms, rows);
    // Not awaited: the caller gets the same promise as without an observer.
    void running.then(
      () => tell(wrote?.()),
      () => tell(),
    );
    return running;
  };
  const written = <A extends Args>(key: string, args: A, build: Build<A, unknown>): WrittenRows | undefined => {
    const [, verb, table] = WRITE.exec(statements.cached(key, build).sql) ?? [];
    return table === undefined ? undefined : { verb: verb as WrittenRows['verb'], table, args };
  };
  return {
    dialect: session.dialect,
    all: (key, args, build) =>
      timed(
        key,
        () => session.all(key, args, build),
        () => written(key, args, build),
      ),
    first: (key, args, build) =>
      timed(
        key,
        () => session.first(key, args, build),
        () => written(key, args, build),
      ),
    run: (key, args, build) =>
      timed(
        key,
        () => session.run(key, args, build),
        () => written(key, args, build),
      ),
    allRaw: <Row>(sql: string, values?: Parameters<Session['allRaw']>[1]) =>
      timed(sql, () => session.allRaw<Row>(sql, values)),
    runRaw: (sql, values) => timed(sql, () => session.runRaw(sql, values)),
  };
}
