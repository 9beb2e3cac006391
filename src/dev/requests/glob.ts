import { boundedCache } from '../../base/bounded-cache.ts';

const compiled = boundedCache<string, RegExp>(1000);

/** Whether a text has a form in which `*` stands for anything but a slash, and `**` for anything. */
export function matchesGlob(text: string, glob: string): boolean {
  let pattern = compiled.get(glob);
  if (!pattern) {
    const source = glob.replace(/\*+|[^*]+/g, (piece) =>
      piece === '*' ? '[^/]*' : piece[0] === '*' ? '.*' : piece.replace(/[\\^$.+?()[\]{}|]/g, '\\$&'),
    );
    pattern = new RegExp(`^${source}$`, 's');
    compiled.set(glob, pattern);
  }
  return pattern.test(text);
}
