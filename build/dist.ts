import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// Builds `dist/`, or the folder given as an argument, which the package runs: Node.js strips no types below
// node_modules. Types become blanks, as when a checkout runs its sources, so that every line and column stays in place
// and stack traces need no source maps. `--no-types` omits the declaration files.

/** A relative module specifier in an import, or in the URL of a thread or process. */
const SPECIFIER = /((?:from|import|new URL)\s*\(?\s*)(['"])(\.{1,2}\/[^'"]+)\.ts\2/g;

const home = fileURLToPath(new URL('../', import.meta.url));
const source = join(home, 'src');
const [input] = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const dist = resolve(input ?? join(home, 'dist'));

rmSync(dist, { recursive: true, force: true });
for (const file of globSync('**/*.*', { cwd: source })) {
  if (file.endsWith('.md')) continue;
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
  const compiler = join(home, 'node_modules/typescript/bin/tsc');
  const project = relative(process.cwd(), join(home, 'build/tsconfig.json'));
  execFileSync(process.execPath, [compiler, '-p', project, '--outDir', dist], { stdio: 'inherit' });
  for (const file of globSync('**/*.d.ts', { cwd: dist })) {
    writeFileSync(join(dist, file), named(readFileSync(join(dist, file), 'utf8')));
  }
}

/** Replaces `.ts` by `.js` in specifiers; nothing moves, because both have the same length. */
function named(code: string): string {
  return code.replace(SPECIFIER, '$1$2$3.js$2');
}
