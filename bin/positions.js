import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';

// Each file of the bundled program imports this first: stack traces name the modules and their lines, as if it were not
// bundled. Those of the package, which has no sources, name them as they are called in its repository.
// @source decision 1035

const BUNDLED = /\/(?:built|dist)\/program\/[^/]+\.js$/;
const home = new URL('../', import.meta.url).href;

// A map takes tens of megabytes: it is read with the first stack trace that needs it, and may be forgotten again.
const maps = new Map();

Error.prepareStackTrace = (error, frames) =>
  [Error.prototype.toString.call(error), ...frames.map((each) => `    at ${explained(each)}`)].join('\n');

function explained(frame) {
  const file = frame.getScriptNameOrSourceURL();
  if (!file?.startsWith(home) || !BUNDLED.test(file)) return `${frame}`;
  const [line, column] = [frame.getLineNumber(), frame.getColumnNumber()];
  const { fileName, lineNumber, columnNumber } = mapOf(file).findOrigin(line, column);
  if (fileName === undefined) return `${frame}`;
  return `${frame}`.replace(`${file}:${line}:${column}`, `${new URL(fileName, file)}:${lineNumber}:${columnNumber}`);
}

function mapOf(file) {
  const kept = maps.get(file)?.deref();
  if (kept !== undefined) return kept;
  const map = new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`), 'utf8')));
  maps.set(file, new WeakRef(map));
  return map;
}
