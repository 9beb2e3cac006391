import { existsSync } from 'node:fs';

const names = [
  ...['get', 'list', 'create', 'targeting', 'pages', 'signature', 'inspector', 'aliases'],
  ...[
    'postgres',
    'redis',
    'nodes',
    'bearer',
    'refusals',
    'servability',
    'append',
    'uploads',
    'estimate',
    'shares',
    'memberships',
    'events',
    'rows',
  ],
  ...['insights', 'related', 'settle', 'decisions', 'stats', 'stream', 'webhooks'],
];
/** These compare with other servers or read corpora, which are in a package of their own. */
const NEED_PACKAGES = ['bearer', 'related'];

const name = process.argv[2] ?? '';
if (!names.includes(name)) {
  process.stderr.write(`npm run bench -- NAME, where NAME is one of ${names.join(', ')}\n`);
  process.exit(2);
}
if (NEED_PACKAGES.includes(name) && !existsSync(new URL('node_modules', import.meta.url))) {
  process.stderr.write(`The benchmark ${name} needs packages that are not installed: npm ci --prefix bench\n`);
  process.exit(2);
}
const { run } = (await import(`./${name}.ts`)) as { run(): Promise<void> };
await run();
