/** A format or codec that not every browser shows. */
export interface Unshown {
  readonly name: string;
  /** The format or codec to use instead. */
  readonly instead: string;
  /** Only its sound is affected. */
  readonly isSound?: true;
}

/** Accepted formats that some browsers do not show. */
const NOT_SHOWN: Readonly<Record<string, Unshown>> = {
  'image/tiff': { name: 'TIFF', instead: 'JPEG or PNG' },
  'video/mp2t': { name: 'MPEG transport streams', instead: 'MP4' },
};

/** Codecs that browsers decode in software, by container, as the library that reads videos names them. */
const SHOWN_CODECS: Readonly<Record<string, readonly string[]>> = {
  'video/mp4': ['AVC', 'AV1', 'VP9'],
  'video/quicktime': ['AVC', 'AV1', 'VP9'],
  'video/webm': ['VP8', 'VP9', 'AV1'],
};
/** The same for sound. */
const HEARD_CODECS: readonly string[] = ['AAC', 'MPEG Audio Layer 3', 'Opus', 'FLAC', 'Vorbis'];

/** The format of a file, if not every browser shows it. @source decision 1151 */
export function unshownFormat(mime: string): Unshown | undefined {
  return NOT_SHOWN[mime];
}

/** The codec of a video or of its sound, or its sample format, if not every browser shows it. */
export function unshownCodec(mime: string, codec: string, samples: VideoSamples): Unshown | undefined {
  const isWebm = mime === 'video/webm';
  if (!SHOWN_CODECS[mime]!.includes(codec)) return { name: codec, instead: isWebm ? 'VP9' : 'H.264' };
  const { chroma = '4:2:0', bits = 8, sound } = samples;
  if (codec === 'AVC' && (chroma !== '4:2:0' || bits !== 8)) {
    return { name: `H.264 ${chroma} with ${bits} bits`, instead: '4:2:0 with 8 bits' };
  }
  if (sound === undefined || HEARD_CODECS.includes(sound)) return undefined;
  return { name: sound, instead: isWebm ? 'Opus' : 'AAC', isSound: true };
}

/** How a video stores colours and sound. */
export interface VideoSamples {
  /** Resolution of the colours, such as `4:2:0`. */
  readonly chroma: string | undefined;
  /** Bits of a sample. */
  readonly bits: number | undefined;
  /** Codec of the first sound track. */
  readonly sound?: string | undefined;
}

/** Why a file is refused. */
export function refusalOf({ name, instead, isSound }: Unshown): string {
  return `Not every browser ${isSound ? 'plays' : 'shows'} ${name}: use ${instead}`;
}
