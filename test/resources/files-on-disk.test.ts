// On either database: files lie beside it.
import assert from 'node:assert/strict';
import { chmodSync, globSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { importPosts, post } from '../rig/corpus.ts';
import { GIF } from '../rig/tiny-media.ts';
import { upload } from '../rig/uploading.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
let folder: string;
let umask: number;

before(async () => {
  umask = process.umask(0o022);
  folder = mkdtempSync(join(tmpdir(), 'barker-files-'));
  // Others made the folder, and a version before left these behind.
  chmodSync(folder, 0o755);
  new DatabaseSync(join(folder, 'barker.db')).close();
  writeFileSync(join(folder, 'barker.db.lock'), '');
  for (const name of ['barker.db', 'barker.db.lock']) chmodSync(join(folder, name), 0o644);
  world = await openWorld({ which: 'sqlite', flags: { data_folder: folder, media_processing_s: 0 } });
});
after(async () => {
  await world.close();
  process.umask(umask);
  rmSync(folder, { recursive: true });
});

test('all files are private to their owner, even in a folder that others can read', async () => {
  await upload(world.sandbox, GIF, { media_type: 'image/gif', media_category: 'post_gif' });
  await importPosts(world, [post('1', 'a word')]);
  const params = { granularity: 'DAY', keywords: 'word', start_time: '2026-03-01' };
  assert.equal((await world.sandbox.call('GET', '/12/insights/keywords/search', { params })).status, 200);
  const found = globSync('**', { cwd: folder, withFileTypes: true }).filter(
    (entry) => join(entry.parentPath, entry.name) !== folder,
  );
  const open = found.flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    const mode = statSync(path).mode & 0o777;
    return mode === (entry.isDirectory() ? 0o700 : 0o600) ? [] : [`${path} ${mode.toString(8)}`];
  });
  assert.deepEqual(open, []);
  const names = found.map(({ name, parentPath }) => join(parentPath, name).slice(folder.length + 1));
  for (const meant of [
    /^barker\.db$/,
    /^barker\.db-wal$/,
    /^barker\.db-shm$/,
    /\.lock$/,
    /^media\/.*\//,
    /^nonces\//,
  ]) {
    assert.ok(
      names.some((name) => meant.test(name)),
      `${meant} in ${names}`,
    );
  }
});
