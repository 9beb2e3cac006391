import { type ChildProcess, spawn } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { needPackages } from '../clients/debian.ts';
import { freePorts } from './ports.ts';
import { recordSecret } from './secrets.ts';

/** A Redis server of one's own, on a port of its own, that keeps nothing on disk. */
export interface OwnRedis {
  readonly url: string;
  pid(): number;
  /** Sends a command, with a connection of its own; resolves with the first line of the reply. */
  command(...words: readonly string[]): Promise<string>;
  /** Kills it, as a power cut would: what it had in memory is gone. */
  kill(): Promise<void>;
  /** Starts it again after a kill, on the same port. */
  start(): Promise<void>;
  /** Makes it stand still with its connections open; the answer lets it go on. */
  freeze(): () => void;
  stop(): Promise<void>;
}

const PASSWORD = 'redis-password-of-the-tests';

/** Starts Debian's `redis-server`, which ends with this process, however that ends. */
export async function startRedis(): Promise<OwnRedis> {
  needPackages('redis-server');
  recordSecret('password of Redis', PASSWORD);
  const [port] = await freePorts(1);
  let child: ChildProcess | undefined;
  const flags = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--requirepass', PASSWORD];

  const command = (...words: readonly string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(port!, '127.0.0.1');
      const encoded = [['auth', PASSWORD], words].map(
        (each) => `*${each.length}\r\n${each.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`,
      );
      let heard = '';
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('Redis closed the connection')));
      socket.on('data', (bytes) => {
        heard += bytes;
        const lines = heard.split('\r\n');
        if (lines.length < 3) return;
        resolve(lines[1]!);
        socket.destroy();
      });
      socket.write(encoded.join(''));
    });
  const start = async (): Promise<void> => {
    child = spawn('setpriv', ['--pdeathsig', 'KILL', 'redis-server', ...flags], { stdio: 'ignore' });
    const failed = new Promise<never>((_, reject) => {
      child!.once('error', reject);
      child!.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)));
    });
    failed.catch(() => {});
    for (;;) {
      const answer = await Promise.race([command('ping').catch(() => ''), failed]);
      if (answer === '+PONG') return;
      await wait(20);
    }
  };
  const kill = async (): Promise<void> => {
    const ending = child;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const gone = new Promise((resolve) => ending.once('exit', resolve));
    ending.kill('SIGKILL');
    await gone;
  };
  await start();
  return {
    url: `redis://:${PASSWORD}@127.0.0.1:${port}/1`,
    pid: () => child!.pid!,
    command,
    kill,
    start,
    freeze() {
      child!.kill('SIGSTOP');
      return () => void child!.kill('SIGCONT');
    },
    stop: kill,
  };
}
