/** Parts of the program whose tests are measured, as patterns of source files. */
export const ROOMS: Readonly<Record<string, string>> = {
  engine: 'src/engine/*.ts',
  rows: 'src/rows/*.ts',
  http: 'src/http/*.ts',
  auth: 'src/features/auth/{oauth1,oauth2}/*.ts',
  storage: 'src/storage/core/*.ts',
  delivery: 'src/features/delivery/**/*.ts',
  lists: 'src/console/lists/*.ts',
};
