import type { Services } from '../../contract/declare/operation.ts';
import type { ReceivedFile } from '../../contract/services/received-files.ts';
import { conversionFault, convertFile } from './convert-file.ts';
import { withoutMetadata } from './metadata/without-metadata.ts';
import { type ExpectedFile, type FileProperties, type ProbedFile, probeFile } from './probe/probe-file.ts';

/** A file that browsers show. */
interface ShownFile {
  readonly properties: FileProperties;
  /** The file to store instead, if it had to be changed; the caller discards it. */
  readonly copy: ReceivedFile | undefined;
}

/** A file that browsers show, or the message why there is none. */
export type ShownResult = ShownFile | { readonly fault: string };

/** Minimum share of the duration that a conversion must keep; transport streams state inexact durations. */
const [SHARE_MIN, INEXACT_MS] = [0.9, 500];

/**
 * Probes a file, converts it if not every browser shows it, and removes its metadata. Undefined when it is a video that
 * must be converted, and `isConverting` is false. @throws the reason of the signal
 */
export async function shownFile(
  path: string,
  expected: ExpectedFile,
  media: Services['media'],
  { isConverting = false, signal }: { readonly isConverting?: boolean; readonly signal?: AbortSignal | undefined } = {},
): Promise<ShownResult | undefined> {
  const found = await probeFile(path, expected, media.uploadRules);
  signal?.throwIfAborted();
  if ('fault' in found) return found;
  if (!found.unshown) return stripped(path, found, media);
  if (expected.media_type === 'VIDEO' && !isConverting) return undefined;
  const file = await convertFile(path, found, expected, media, signal);
  if ('fault' in file) return file;
  let copy: ReceivedFile | undefined;
  try {
    const shown = await probeFile(file.place, { ...expected, mime: '' }, media.uploadRules);
    if ('fault' in shown || shown.unshown) return conversionFault(found);
    // Decoders stop at unreadable data without an error.
    if (shown.duration_ms! + INEXACT_MS < SHARE_MIN * found.duration_ms!) return conversionFault(found);
    const result = await stripped(file.place, shown, media);
    if ('fault' in result) return conversionFault(found);
    copy = result.copy ?? file;
    return { ...result, copy };
  } finally {
    if (copy !== file) await media.received.discard(file);
  }
}

async function stripped(
  path: string,
  { unshown: _, ...properties }: ProbedFile,
  { received }: Services['media'],
): Promise<ShownResult> {
  const copy = await withoutMetadata(path, properties.mime, received);
  return copy && 'fault' in copy ? copy : { properties, copy };
}
