import { type FileHandle, open } from 'node:fs/promises';
import { type Box, boxesOf } from '../probe/container-boxes.ts';
import type { Edit } from './without-metadata.ts';

/** Boxes to keep, by the box around them; inside other boxes, all are kept. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  '': ['ftyp', 'moov', 'mdat', 'moof', 'mfra', 'pdin', 'sidx', 'ssix', 'styp'],
  'moov/': ['mvhd', 'trak', 'mvex', 'iods'],
  'moov/trak/': ['tkhd', 'edts', 'mdia', 'tref', 'tapt'],
  'moov/trak/mdia/': ['mdhd', 'hdlr', 'minf', 'elng'],
};
/** Boxes with times of creation and modification, after their version and flags. */
const TIMED = ['mvhd', 'tkhd', 'mdhd'];
const FREE = Buffer.from('free', 'latin1');
/** Room for the 260,000 samples of hours of metadata. */
const [TABLE_BYTES_MAX, EDITS_MAX] = [1_048_576, 200_000];

/**
 * The edits that blank the metadata of an MP4 or MOV file, without moving anything: boxes become free space, times of
 * recording 0, and tracks of timed metadata disappear with their samples. Undefined when its samples cannot be located.
 */
export async function boxEdits(path: string): Promise<Edit[] | undefined> {
  const boxes = (await boxesOf(path))!;
  await using file = await open(path);
  const edits: Edit[] = [];
  const isFragmented = boxes.some(({ type }) => type === 'mvex');
  for (const [index, box] of boxes.entries()) {
    const { parent, type, end } = box;
    if (KEPT[parent]?.includes(type) === false) edits.push(...blank(box));
    else if (TIMED.includes(type)) edits.push(...(await timesOf(file, box)));
    if (parent !== 'moov/' || type !== 'trak') continue;
    let next = index + 1;
    while (next < boxes.length && boxes[next]!.start < end) next += 1;
    const track = boxes.slice(index + 1, next);
    const handler = track.find((each) => each.parent === 'moov/trak/mdia/' && each.type === 'hdlr');
    if (!handler || (await contentOf(file, handler, 12)).toString('latin1', 8) !== 'meta') continue;
    if (isFragmented || !(await addSamples(edits, file, track))) return undefined;
    edits.push(...blank(box));
  }
  return edits;
}

function blank({ start, content, end }: Box): Edit[] {
  const type = content === start ? [] : [{ start: start + 4, end: start + 8, by: FREE }];
  return content === end ? [] : [...type, { start: content, end }];
}

async function timesOf(file: FileHandle, box: Box): Promise<Edit[]> {
  const content = await contentOf(file, box, 20);
  const [from, to] = [4, content[0] === 1 ? 20 : 12];
  const isSet = content.subarray(from, to).some((byte) => byte !== 0);
  return isSet ? [{ start: box.content + from, end: Math.min(box.content + to, box.end) }] : [];
}

/** The beginning of the content of a box. */
async function contentOf(file: FileHandle, { content, end }: Box, bytes_max: number): Promise<Buffer> {
  const bytes = Buffer.alloc(Math.min(end - content, bytes_max));
  return bytes.subarray(0, (await file.read(bytes, 0, bytes.length, content)).bytesRead);
}

/** Adds the samples of a track, as zeros, chunk by chunk; returns false when they cannot be located. */
async function addSamples(edits: Edit[], file: FileHandle, track: readonly Box[]): Promise<boolean> {
  const tableOf = async (name: string): Promise<Buffer | undefined> => {
    const box = track.find(({ parent, type }) => parent.endsWith('/stbl/') && type === name);
    return box && contentOf(file, box, TABLE_BYTES_MAX);
  };
  const [sizes, runs, offsets, long] = await Promise.all(['stsz', 'stsc', 'stco', 'co64'].map(tableOf));
  try {
    const [size, samples] = [sizes!.readUInt32BE(4), sizes!.readUInt32BE(8)];
    let [sample, run] = [0, 0];
    for (let chunk = 0; chunk < (offsets ?? long)!.readUInt32BE(4); chunk += 1) {
      const start = offsets ? offsets.readUInt32BE(8 + 4 * chunk) : Number(long!.readBigUInt64BE(8 + 8 * chunk));
      // A run of chunks with as many samples each begins with its number, counted from 1.
      if (run + 1 < runs!.readUInt32BE(4) && runs!.readUInt32BE(20 + 12 * run) === chunk + 1) run += 1;
      let end = start;
      const next = Math.min(sample + runs!.readUInt32BE(12 + 12 * run), samples);
      if (size > 0) end += size * (next - sample);
      else for (let each = sample; each < next; each += 1) end += sizes!.readUInt32BE(12 + 4 * each);
      sample = next;
      edits.push({ start, end });
    }
    return edits.length <= EDITS_MAX;
  } catch {
    // Tables that are missing, too short or too large.
    return false;
  }
}
