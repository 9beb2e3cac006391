// On either database: clients know nothing of it.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { needPackages } from './debian.ts';
import type { Answered, StartClient } from './foreign.ts';
import { tellStory } from './story.ts';

/** Debian's own interpreter, which alone sees Debian's packages. */
const PYTHON = '/usr/bin/python3';
const SCRIPT = join(import.meta.dirname, 'requests_oauthlib_client.py');

/** Debian's package `python3-requests-oauthlib`, in a process of its own. */
const start: StartClient = async (keys) => {
  needPackages('python3-requests-oauthlib');
  const child = spawn(PYTHON, [SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'] });
  const gone = new Promise<void>((done) => child.on('exit', () => done()));
  const waiting: { resolve(answer: Answered): void; reject(error: Error): void }[] = [];
  createInterface(child.stdout).on('line', (line) => waiting.shift()!.resolve(JSON.parse(line)));
  void gone.then(() => {
    for (const { reject } of waiting) reject(new Error('the client has ended'));
  });
  const tell = (line: unknown): void => void child.stdin.write(`${JSON.stringify(line)}\n`);
  tell(keys);
  return {
    send: (method, url, sent) =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        tell({ method, url, ...sent });
      }),
    async close() {
      child.stdin.end();
      await gone;
    },
  };
};

tellStory('requests-oauthlib', start);
