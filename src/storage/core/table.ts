import type { Session } from './session.ts';

/** Base class of the tables: statements run in the session of a unit of work. */
export class Table {
  protected readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }
}
