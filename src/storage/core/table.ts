import type { Session } from './session.ts';

/** Base class of the tables: statements run in the session of a unit of work. */
export class Table {
  protected readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }
}

/** A table whose rows are cached: every change invalidates a tag. */
export class CachedTable extends Table {
  protected readonly invalidate;

  constructor(session: Session, invalidate: (tag: string) => void) {
    super(session);
    this.invalidate = invalidate;
  }
}
