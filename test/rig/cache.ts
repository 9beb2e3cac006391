import { join, resolve } from 'node:path';

/** What runs keep for later ones; `npm ci` removes it. */
export const CACHE = resolve('node_modules/.cache/barker');

/** Modules that Node.js has compiled. */
export const COMPILED = join(CACHE, 'compiled');
