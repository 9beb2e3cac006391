/** A unique constraint was violated: nothing of the unit was stored. */
export class ConstraintViolated extends Error {
  override readonly name = 'ConstraintViolated';
}

/** The database has migrations that this version does not know and cannot work with: a newer version made them. */
export class SchemaTooNew extends Error {
  override readonly name = 'SchemaTooNew';
}
