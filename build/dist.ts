import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// Builds `dist/`, or the folder given as an argument, for the package, since Node.js strips no types below node_modules: the
// bundled program in `program/`, the files that it reads beside where their modules would be, and
// `@barker-ads/server/testing`, which is all that the package exports: its modules with blanks for types, so that lines and
// columns stay in place, their declarations, and its CommonJS form, for test runners that do not load ES modules.
// `--program` omits it.
// @source decision 895

/** A relative module specifier. */
const SPECIFIER = /((?:from|import)\s*\(?\s*)(['"])(\.{1,2}\/[^'"]+)\.ts\2/g;

/** The URL of a CommonJS module. */
const OWN_URL = `require('node:url').pathToFileURL(__filename).href`;

const home = fileURLToPath(new URL('../', import.meta.url));
const source = join(home, 'src');
const [input] = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const dist = resolve(input ?? join(home, 'dist'));

rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [join(home, 'build/program.js'), join(dist, 'program')], { stdio: 'inherit' });
for (const file of globSync('**/*.*', { cwd: source })) {
  // Scripts of pages are bundled, by build/islands.js.
  if (/\.(ts|md)$/.test(file) || file.startsWith('console/islands/')) continue;
  mkdirSync(dirname(join(dist, file)), { recursive: true });
  copyFileSync(join(source, file), join(dist, file));
}

if (!process.argv.includes('--program')) {
  compile('tsconfig.json', dist);
  for (const file of globSync('testing/*.ts', { cwd: source })) {
    const code = stripTypeScriptTypes(readFileSync(join(source, file), 'utf8'));
    writeFileSync(join(dist, file).replace(/\.ts$/, '.js'), named(code));
  }
  for (const file of globSync('testing/*.d.ts', { cwd: dist })) {
    writeFileSync(join(dist, file), named(readFileSync(join(dist, file), 'utf8')));
  }
  const commonJs = join(dist, 'testing-commonjs');
  compile('tsconfig.commonjs.json', commonJs);
  writeFileSync(join(commonJs, 'package.json'), '{ "type": "commonjs" }\n');
  for (const file of globSync('*.js', { cwd: commonJs })) {
    const code = readFileSync(join(commonJs, file), 'utf8');
    writeFileSync(join(commonJs, file), code.replaceAll('import.meta.url', OWN_URL));
  }
}

/** Runs the compiler of TypeScript with a configuration of this folder. */
function compile(configuration: string, to: string): void {
  const compiler = join(home, 'node_modules/typescript/bin/tsc');
  const project = relative(process.cwd(), join(home, 'build', configuration));
  execFileSync(process.execPath, [compiler, '-p', project, '--outDir', to], { stdio: 'inherit' });
}

/** Replaces `.ts` by `.js` in specifiers; nothing moves, because both have the same length. */
function named(code: string): string {
  return code.replace(SPECIFIER, '$1$2$3.js$2');
}
