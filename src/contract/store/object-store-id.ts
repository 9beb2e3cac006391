/** The id of the object store that belongs to the database. Copies of the database have none. */
export interface ObjectStoreId {
  /** Undefined before the first use of a store. */
  find(): Promise<string | undefined>;
  /** Records the id unless another one is recorded; returns the one that is. */
  claim(id: string): Promise<string>;
}
