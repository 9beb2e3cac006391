import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// Builds `dist/`, or the folder given as an argument, which the package runs: Node.js strips no types below
// node_modules. Types become blanks, as when a checkout runs its sources, so that every line and column stays in place
// and stack traces need no source maps. `--no-types` omits what only developers need: the declaration files of
// `barker/testing`, which is all that the package exports, and its CommonJS form, for test runners that do not load ES
// modules.
// @source decision 895

/** A relative module specifier in an import, or in the URL of a thread or process. */
const SPECIFIER = /((?:from|import|new URL)\s*\(?\s*)(['"])(\.{1,2}\/[^'"]+)\.ts\2/g;

/** The URL of a CommonJS module. */
const OWN_URL = `require('node:url').pathToFileURL(__filename).href`;

const home = fileURLToPath(new URL('../', import.meta.url));
const source = join(home, 'src');
const [input] = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const dist = resolve(input ?? join(home, 'dist'));

rmSync(dist, { recursive: true, force: true });
for (const file of globSync('**/*.*', { cwd: source })) {
  // Scripts of pages are bundled, by build/islands.js.
  if (file.endsWith('.md') || file.startsWith('console/islands/')) continue;
  const to = join(dist, file);
  mkdirSync(dirname(to), { recursive: true });
  if (!file.endsWith('.ts')) {
    copyFileSync(join(source, file), to);
    continue;
  }
  const code = stripTypeScriptTypes(readFileSync(join(source, file), 'utf8'));
  writeFileSync(to.replace(/\.ts$/, '.js'), named(code));
}

if (!process.argv.includes('--no-types')) {
  compile('tsconfig.json', dist);
  const commonJs = join(dist, 'testing-commonjs');
  compile('tsconfig.commonjs.json', commonJs);
  writeFileSync(join(commonJs, 'package.json'), '{ "type": "commonjs" }\n');
  for (const file of globSync('*.js', { cwd: commonJs })) {
    const code = readFileSync(join(commonJs, file), 'utf8');
    writeFileSync(join(commonJs, file), code.replaceAll('import.meta.url', OWN_URL));
  }
  for (const file of globSync('**/*.d.ts', { cwd: dist })) {
    writeFileSync(join(dist, file), named(readFileSync(join(dist, file), 'utf8')));
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
