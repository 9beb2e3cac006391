/** A unique constraint was violated: nothing of the unit of work was stored. */
export class ConstraintViolated extends Error {
  override readonly name = 'ConstraintViolated';
}

/** A newer version has migrated the database to a schema that this version is incompatible with. */
export class SchemaTooNew extends Error {
  override readonly name = 'SchemaTooNew';
}
