/**
 * Ends the first run of a restarted unit of work: its statements reject with this, so that its `finally` blocks run.
 * Its outcome is ignored.
 * @source decision 733, 829
 */
export class UnitRestarted extends Error {
  override readonly name = 'UnitRestarted';

  constructor() {
    super('the unit of work was started again');
  }
}
