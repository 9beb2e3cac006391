/** Formats of files that are accepted and that some browsers do not show, and what to use instead. */
const NOT_SHOWN: Readonly<Record<string, readonly [name: string, instead: string]>> = {
  'image/tiff': ['TIFF', 'JPEG or PNG'],
  'video/mp2t': ['MPEG transport streams', 'MP4'],
};

/** Codecs that browsers decode in software, by container, as the library that reads videos names them. */
const SHOWN_CODECS: Readonly<Record<string, readonly string[]>> = {
  'video/mp4': ['AVC', 'AV1', 'VP9'],
  'video/quicktime': ['AVC', 'AV1', 'VP9'],
  'video/webm': ['VP8', 'VP9', 'AV1'],
};

/** Why browsers may not show files of a format; undefined if all do. @source decision 1151 */
export function formatFault(mime: string): string | undefined {
  const found = NOT_SHOWN[mime];
  return found && notShown(...found);
}

/** The same for the codec of a video, and for samples of H.264 that only few decoders know. */
export function codecFault(mime: string, codec: string, samples: VideoSamples): string | undefined {
  if (!SHOWN_CODECS[mime]!.includes(codec)) return notShown(codec, mime === 'video/webm' ? 'VP9' : 'H.264');
  const { chroma = '4:2:0', bits = 8 } = samples;
  if (codec !== 'AVC' || (chroma === '4:2:0' && bits === 8)) return undefined;
  return notShown(`H.264 ${chroma} with ${bits} bits`, '4:2:0 with 8 bits');
}

/** How a video stores colours. */
export interface VideoSamples {
  /** Resolution of the colours, such as `4:2:0`. */
  readonly chroma: string | undefined;
  /** Bits of a sample. */
  readonly bits: number | undefined;
}

function notShown(name: string, instead: string): string {
  return `Not every browser shows ${name}: use ${instead}`;
}
