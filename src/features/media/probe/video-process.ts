import { type FileHandle, open } from 'node:fs/promises';
import mediaInfo from 'mediainfo.js';
import type { VideoSamples } from './shown-formats.ts';

/** The properties of a video from its metadata. */
export interface VideoProperties extends VideoSamples {
  /** As displayed: pixels need not be square. */
  readonly width: number | undefined;
  readonly height: number | undefined;
  /** Rotated by 90 degrees when displayed. */
  readonly isRotated: boolean;
  readonly duration_ms: number;
  readonly codec: string | null;
  readonly isTruncated: boolean;
}

const CHUNK_BYTES = 262_144;

async function readVideoProperties(file: FileHandle): Promise<VideoProperties> {
  const library = await mediaInfo({ format: 'object', chunkSize: CHUNK_BYTES });
  const { size } = await file.stat();
  let piece = Buffer.alloc(CHUNK_BYTES);
  const { media } = await library.analyzeData(size, async (length, offset) => {
    if (length > piece.length) piece = Buffer.alloc(length);
    const { bytesRead } = await file.read(piece, 0, length, offset);
    return piece.subarray(0, bytesRead);
  });
  const tracks = media?.track ?? [];
  const general = tracks.find((track) => track['@type'] === 'General');
  const video = tracks.find((track) => track['@type'] === 'Video');
  const sound = tracks.find((track) => track['@type'] === 'Audio');
  const extra = general?.extra as { IsTruncated?: string } | undefined;
  return {
    width: video?.Width && Math.round(video.Width * (video.PixelAspectRatio ?? 1)),
    height: video?.Height,
    isRotated: Math.abs(Number(video?.Rotation ?? 0)) % 180 === 90,
    duration_ms: Math.round(Number(general?.Duration ?? video?.Duration ?? 0) * 1000),
    codec: video?.Format ?? null,
    chroma: video?.ChromaSubsampling,
    bits: video?.BitDepth,
    // Its layers are different codecs.
    sound: sound?.Format === 'MPEG Audio' ? `MPEG Audio ${sound.Format_Profile}` : sound?.Format,
    isTruncated: extra?.IsTruncated === 'Yes',
  };
}

// One video at a time, each with a new instance of the library. An error ends the process.
process.on('message', async (path: string) => {
  const file = await open(path);
  process.send!(await readVideoProperties(file));
  await file.close();
});
