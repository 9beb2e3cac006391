// On either database: it starts no server.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { largeDocs } from '../../build/docs/generated-docs.ts';
import { type NpmProject, openNpmProject } from './npm-project.ts';

/** A project of somebody who generates types from our document. @source decision 1279 */
let project: NpmProject;
before(async () => {
  project = await openNpmProject('test/clients/generators');
});
after(() => project.remove());

const folder = mkdtempSync(join(tmpdir(), 'barker-openapi-'));
const DOCUMENT = join(folder, 'openapi.json');
writeFileSync(DOCUMENT, largeDocs()['openapi.json']);
after(() => rmSync(folder, { recursive: true }));

/** How generators are started; beside what they make is a program that uses it. */
const GENERATORS: Readonly<Record<string, readonly string[]>> = {
  'openapi-typescript': [
    ...['node_modules/openapi-typescript/bin/cli.js', DOCUMENT],
    ...['--output', 'openapi-typescript/made.ts'],
  ],
  '@hey-api/openapi-ts': [
    ...['node_modules/@hey-api/openapi-ts/bin/run.js', '--input', DOCUMENT],
    ...['--output', 'hey-api/made'],
  ],
};

for (const [name, args] of Object.entries(GENERATORS)) {
  test(`what ${name} makes of the OpenAPI document compiles, and has its types`, async () => {
    await project.run(process.execPath, args);
    const options = ['--noEmit', '--strict', '--target', 'es2024', '--lib', 'es2024,dom,dom.iterable'];
    const modules = ['--module', 'esnext', '--moduleResolution', 'bundler'];
    const use = join(dirname(args.at(-1)!), 'use.mts');
    await project.run(process.execPath, ['node_modules/typescript/bin/tsc', ...options, ...modules, use]);
  });
}
