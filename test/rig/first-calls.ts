import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';

/** The first call that a page shows in a language. */
function firstCallOf(html: string, language: string): string {
  const [, shown] = html.split(`<summary>${language}</summary>`)[1]?.match(/<pre[^>]*>([\s\S]*?)<\/pre>/) ?? [];
  assert.ok(shown, `no call in ${language}`);
  return shown.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
}

/** Pastes the first call of a page in a language into a shell; resolves with what it prints. */
export function pasted(html: string, language: string): Promise<string> {
  return paste(firstCallOf(html, language));
}

/** Pastes code into a shell with the locale of a bare container; resolves with what it prints. */
export function paste(code: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const shell = execFile('sh', { env: { ...process.env, LC_ALL: 'C' } }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${stderr}\n${code}`));
      else resolve(stdout);
    });
    shell.stdin!.end(code);
  });
}
