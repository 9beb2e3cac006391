import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A program in place of ffmpeg. */
export interface OwnFfmpeg {
  readonly path: string;
  /** A folder for what it needs, and for what it leaves. */
  readonly folder: string;
  /** What it does from now on with what it should convert: shell, with `$place` for what it writes. It makes no posters. */
  does(line: string): void;
  remove(): void;
}

/** Shell that goes on until it is killed; a file `begun` is there once it runs. */
export const endless = (folder: string): string => `echo $$ >'${folder}/begun'; exec tail -f /dev/null`;

/** A program in place of ffmpeg, in a folder of its own. */
export function openOwnFfmpeg(): OwnFfmpeg {
  const folder = mkdtempSync(join(tmpdir(), 'barker-program-'));
  const path = join(folder, 'ffmpeg');
  return {
    path,
    folder,
    does(line) {
      const head =
        '#!/bin/sh\nfor place; do :; done\n[ "$place" = pipe:1 ] && exit 1\nplace=$(echo "$place" | cut -c6-)\n';
      writeFileSync(`${path}.new`, `${head}${line}\n`, { mode: 0o700 });
      // A shell reads its script as it goes.
      renameSync(`${path}.new`, path);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
