import { type Html, html } from '../../base/html.ts';
import type { Upload } from '../../contract/store/uploads.ts';

/** The VMAP document of a video: one ad break at the start, with one media file. */
export function vmap({ id, mime, width, height, duration_ms }: Upload, address: string): Html {
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
export function playlist({ duration_ms }: Upload, address: string): string {
  const seconds = (duration_ms ?? 0) / 1000;
  const head = ['#EXTM3U', '#EXT-X-VERSION:3', '#EXT-X-PLAYLIST-TYPE:VOD'];
  const length = `#EXT-X-TARGETDURATION:${Math.max(1, Math.ceil(seconds))}`;
  return [...head, length, `#EXTINF:${seconds.toFixed(3)},`, address, '#EXT-X-ENDLIST', ''].join('\n');
}
