const ORIENTATION = 0x0112;
const [UPRIGHT, LAST] = [1, 8];

/** EXIF data with the orientation of other EXIF data only; undefined when that has none, or the image is upright. */
export function orientationExif(exif: Buffer): Buffer | undefined {
  const orientation = orientationOf(exif);
  if (orientation === undefined || orientation <= UPRIGHT || orientation > LAST) return undefined;
  // A directory of one entry, a number of 16 bits.
  const minimal = Buffer.from('49492a0008000000010012010300010000000000000000000000', 'hex');
  minimal.writeUInt16LE(orientation, 18);
  return minimal;
}

/** The orientation that EXIF data or a TIFF states, 1 to 8. */
export function orientationOf(exif: Buffer): number | undefined {
  const isLittle = exif.toString('latin1', 0, 2) === 'II';
  const short = (at: number) => (isLittle ? exif.readUInt16LE(at) : exif.readUInt16BE(at));
  try {
    const directory = isLittle ? exif.readUInt32LE(4) : exif.readUInt32BE(4);
    const entries = Array.from({ length: short(directory) }, (_, index) => directory + 2 + 12 * index);
    const entry = entries.find((at) => short(at) === ORIENTATION);
    return entry === undefined ? undefined : short(entry + 8);
  } catch {
    // Offsets beyond the end.
    return undefined;
  }
}
