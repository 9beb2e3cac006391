// On either database: `commands/backups` tries both.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { onThrowawayMachine } from '../rig/throwaway-machine.ts';
import { ENTRY } from './program.ts';

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'barker-nightly-'));
  // The installed program, as the script of the guide starts it; the folder of the checkout need not be readable by others.
  writeFileSync(join(folder, 'program'), `#!/bin/sh\nexec ${process.execPath} ${ENTRY} "$@"\n`);
});
after(() => rmSync(folder, { recursive: true }));

/** Installs what `docs/operate.md` does, but for the package. */
const INSTALL = `
useradd --system --user-group --home-dir /var/lib/barker --shell /usr/sbin/nologin barker
install --directory --owner=barker --group=barker --mode=0700 /var/lib/barker /var/backups/barker
install --directory --owner=root --group=barker --mode=0750 /etc/barker
openssl rand -hex 32 | install --owner=barker --group=barker --mode=0400 /dev/stdin /etc/barker/master.key
cat > /etc/barker/barker.env <<'END'
BARKER_MASTER_KEY_FILE=/etc/barker/master.key
BARKER_DATA_FOLDER=/var/lib/barker
BARKER_PUBLIC_BASE_URL=https://ads.example.org
BARKER_PUBLIC_SANDBOX_URL=https://sandbox.ads.example.org
BARKER_TRUSTED_PROXIES=127.0.0.1
END
install -D --mode=0755 program /opt/barker/bin/barker
install --mode=0755 barker /usr/local/bin/barker
install --mode=0644 barker-backup.service barker-backup.timer /etc/systemd/system/
barker migrate
echo 'a horse that counts its staples' | barker user create ada
barker app create Reports --owner ada --level read --website https://a.test --callback https://a.test/back >/dev/null
`;

/** Runs the lines of a file in /etc/cron.d as cron does. */
const AS_CRON = `
as_cron() {
  grep '^[^#]' "$1" | while read -r _ _ _ _ _ user command; do
    test "$user" = root
    (cd /root && env -i HOME=/root LOGNAME=root SHELL=/bin/sh PATH=/usr/bin:/bin /bin/sh -c "$command")
  done
}
last_backup() { barker doctor | grep -E 'backup' || true; }
count() { ls /var/backups/barker/*.tar.zst | wc -l; }
`;

const FILES = ['barker', 'barker-backup.cron', 'barker-backup.service', 'barker-backup.timer'];

async function onMachine(script: string): Promise<string> {
  const files = Object.fromEntries(FILES.map((name) => [name, resolve('deploy', name)]));
  const whole = `${INSTALL}${AS_CRON}echo "== installed"\n${script}`;
  const { code, output } = await onThrowawayMachine(whole, { ...files, program: join(folder, 'program') });
  assert.equal(code, 0, output.slice(-4000));
  return output.split('== installed\n')[1]!;
}

test('the line for cron backs up with the environment of cron, also after the master key was replaced', async () => {
  const output = await onMachine(`
last_backup
as_cron barker-backup.cron && echo "archives: $(count)"
last_backup
openssl rand -hex 32 | install --owner=barker --group=barker --mode=0400 /dev/stdin /etc/barker/master-2.key
sed 's/^/k1:/' /etc/barker/master.key | install --owner=barker --group=barker --mode=0400 /dev/stdin /etc/barker/old.keys
rm /etc/barker/master.key
sed -i '/^BARKER_MASTER_KEY_FILE=/d' /etc/barker/barker.env
cat >> /etc/barker/barker.env <<'END'
BARKER_MASTER_KEY_FILE=/etc/barker/master-2.key
BARKER_MASTER_KEY_ID=k2
BARKER_MASTER_KEYS_OLD_FILE=/etc/barker/old.keys
END
mv /var/backups/barker/*.tar.zst /root
as_cron barker-backup.cron && echo "archives: $(count)"
stat --format='%U %a' /var/backups/barker/*.tar.zst | sort -u
`);
  assert.match(
    output,
    new RegExp(
      [
        'warning  no backup of this database was ever verified\n.*',
        'archives: 1',
        'ok       the last verified backup is 0 h old \\(.*\\)',
        'archives: 1',
        'barker 600\n',
      ].join('\n'),
    ),
  );
});

test('the unit of systemd backs up, and so does the user of the service', async () => {
  const output = await onMachine(`
systemctl enable --now barker-backup.timer
systemctl start barker-backup && echo "archives: $(count)"
runuser -u barker -- env -i PATH=/usr/bin:/bin /usr/local/bin/barker backup /var/lib/barker/own.tar >/dev/null && echo own
`);
  assert.equal(output, 'archives: 1\nown\n');
});

test('a backup that fails tells it in the mail of cron, and is not recorded', async () => {
  const output = await onMachine(`
rm -r /var/backups/barker
: > /var/backups/barker
as_cron barker-backup.cron > mail 2>&1 || echo "failed: $(wc -c < mail | sed 's/^[1-9].*/with mail/')"
last_backup
`);
  assert.match(output, /^failed: with mail\nwarning {2}no backup of this database was ever verified\n/);
});
