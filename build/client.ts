import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Document } from './client/document.ts';
import { operationsModule, typesModule } from './client/modules.ts';
import { largeDocs } from './docs/generated-docs.ts';

// Builds the package of the typed client into `built/client`, or the folder given as an argument: its types and the table of
// its operations come from the OpenAPI document.
// @source decision 1247

const home = fileURLToPath(new URL('../', import.meta.url));
const source = join(home, 'client');
const out = resolve(process.argv[2] ?? join(home, 'built/client'));

const document = JSON.parse(largeDocs()['openapi.json']) as Document;
const generated = join(source, 'src/generated');
mkdirSync(generated, { recursive: true });
for (const [name, text] of Object.entries({ types: typesModule(document), operations: operationsModule(document) })) {
  const file = join(generated, `${name}.ts`);
  // Another build may be reading it.
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
}

rmSync(out, { recursive: true, force: true });
const compiler = join(home, 'node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [compiler, '-p', source, '--outDir', join(out, 'dist')], { stdio: 'inherit' });
for (const name of globSync('dist/**/*.d.ts', { cwd: out })) {
  const file = join(out, name);
  writeFileSync(file, readFileSync(file, 'utf8').replace(/(from '\.[^']+)\.ts'/g, "$1.js'"));
}
await build({
  entryPoints: [join(source, 'src/index.ts')],
  outfile: join(out, 'dist/index.js'),
  bundle: true,
  format: 'esm',
  target: 'es2022',
  charset: 'utf8',
  // Settings of the type checker change nothing.
  tsconfigRaw: '{}',
});
const { version, repository } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as Record<string, unknown>;
const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as object;
writeFileSync(join(out, 'package.json'), `${JSON.stringify({ ...manifest, version, repository }, undefined, 2)}\n`);
cpSync(join(home, 'docs/typed-client.md'), join(out, 'README.md'));
cpSync(join(home, 'LICENSE'), join(out, 'LICENSE'));
process.stdout.write(`the package of the client is in ${out}\n`);
