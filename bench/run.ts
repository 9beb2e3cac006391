const names = [
  ...['get', 'list', 'create', 'targeting', 'pages', 'signature'],
  ...['postgres', 'bearer', 'refusals', 'servability', 'append', 'uploads', 'estimate', 'memberships'],
  ...['insights', 'related', 'stream', 'webhooks'],
];
const name = process.argv[2] ?? '';
if (!names.includes(name)) {
  process.stderr.write(`npm run bench -- NAME, where NAME is one of ${names.join(', ')}\n`);
  process.exit(2);
}
const { run } = (await import(`./${name}.ts`)) as { run(): Promise<void> };
await run();
