import { type Html, html } from '../../base/html.ts';
import { formatInstant } from '../../base/instants.ts';
import type { Environment } from '../../contract/declare/account-state.ts';
import type { Services } from '../../contract/declare/operation.ts';
import {
  type FindMedia,
  hlsPath,
  isPosterPath,
  type MediaUrls,
  mediaPath,
  type ServedMedia,
  vmapPath,
} from '../../contract/services/media.ts';
import type { ObjectReader, OpenObject } from '../../contract/services/objects.ts';
import type { Upload } from '../../contract/store/uploads.ts';
import type { ReadTransaction } from '../../storage/unit-of-work.ts';
import { hasExpired } from './own-upload.ts';
import { BEGINNING_BYTES, detectMime } from './probe/detect-mime.ts';

/**
 * Finds media files, posters and player manifests by URL path, in either environment.
 * @source decision 184, 194 and 603
 */
export function mediaFinder({ store, clock, media: { reader } }: Services): FindMedia {
  return async (environment, path, urls) => {
    const upload = await store.read((tx) => uploadAt(tx, path));
    if (upload?.state !== 'succeeded' || hasExpired(upload, formatInstant(clock.now()))) return undefined;
    if (path === mediaPath(upload)) return objectAt(upload.object_key, reader, async () => upload.mime);
    if (upload.media_type === 'IMAGE') return undefined;
    if (isPosterPath(path, upload)) {
      const detect = async (object: OpenObject): Promise<string> =>
        upload.poster_mime ?? (await detectMime(await object.read({ start: 0, end: BEGINNING_BYTES }))) ?? 'image/png';
      return objectAt(upload.poster_key, reader, detect);
    }
    return upload.media_type === 'VIDEO' ? forPlayers(upload, path, environment, urls) : undefined;
  };
}

async function objectAt(
  key: string | null,
  reader: ObjectReader,
  mimeOf: (object: OpenObject) => Promise<string>,
): Promise<ServedMedia | undefined> {
  const object = key === null ? undefined : await reader.open(key);
  return object && { object, mime: await mimeOf(object) };
}

async function uploadAt(tx: ReadTransaction, path: string): Promise<Upload | undefined> {
  const [, id] = /\/(\d{1,19})(?:\/|\.vmap$)/.exec(path) ?? [];
  if (id !== undefined) return tx.uploads.find(id);
  const [, name] = /\/([0-9a-f]{16})\.jpg$/.exec(path) ?? [];
  return name === undefined ? undefined : tx.uploads.findByFileName(name);
}

function forPlayers(upload: Upload, path: string, environment: Environment, urls: MediaUrls): ServedMedia | undefined {
  const address = urls.url(environment, mediaPath(upload));
  if (path === vmapPath(upload))
    return { text: vmap(upload, address).render(), mime: 'application/xml; charset=utf-8' };
  if (path === hlsPath(upload)) return { text: playlist(upload, address), mime: 'application/vnd.apple.mpegurl' };
  return undefined;
}

/** The VMAP document of a video: one ad break at the start, with one media file. */
function vmap({ id, mime, width, height, duration_ms }: Upload, address: string): Html {
  return html`<?xml version="1.0" encoding="UTF-8"?>
<vmap:VMAP xmlns:vmap="http://www.iab.net/videosuite/vmap" version="1.0">
<vmap:AdBreak breakId="start" breakType="linear" timeOffset="start">
<vmap:AdSource id="${id}" allowMultipleAds="false" followRedirects="true">
<vmap:VASTAdData>
<VAST version="3.0">
<Ad id="${id}">
<InLine>
<AdSystem>Barker</AdSystem>
<AdTitle>${id}</AdTitle>
<Impression></Impression>
<Creatives>
<Creative>
<Linear>
<Duration>${clockTime(duration_ms ?? 0)}</Duration>
<MediaFiles>
<MediaFile delivery="progressive" type="${mime}" width="${String(width)}" height="${String(height)}">${address}</MediaFile>
</MediaFiles>
</Linear>
</Creative>
</Creatives>
</InLine>
</Ad>
</VAST>
</vmap:VASTAdData>
</vmap:AdSource>
</vmap:AdBreak>
</vmap:VMAP>
`;
}

function clockTime(ms: number): string {
  const two = (amount: number): string => String(Math.floor(amount)).padStart(2, '0');
  const seconds = `${two((ms / 1000) % 60)}.${String(ms % 1000).padStart(3, '0')}`;
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${seconds}`;
}

/** An HLS playlist with the whole video as its only segment. @source decision 195 */
function playlist({ duration_ms }: Upload, address: string): string {
  const seconds = (duration_ms ?? 0) / 1000;
  const head = ['#EXTM3U', '#EXT-X-VERSION:3', '#EXT-X-PLAYLIST-TYPE:VOD'];
  const length = `#EXT-X-TARGETDURATION:${Math.max(1, Math.ceil(seconds))}`;
  return [...head, length, `#EXTINF:${seconds.toFixed(3)},`, address, '#EXT-X-ENDLIST', ''].join('\n');
}
