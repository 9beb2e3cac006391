import type { Client, Reply } from './client.ts';

/** The path of uploads in the first generation. */
export const UPLOAD = '/1.1/media/upload.json';

/** A body of parts: texts, and bytes as files. */
export function partsOf(members: Readonly<Record<string, string | number | Uint8Array>>): FormData {
  const parts = new FormData();
  for (const [name, value] of Object.entries(members)) {
    if (typeof value === 'object') parts.set(name, new Blob([new Uint8Array(value)]), 'file');
    else parts.set(name, String(value));
  }
  return parts;
}

/** Sends a command with its parameters, in parts where bytes are among them. */
export function command(
  client: Client,
  name: string,
  members: Readonly<Record<string, string | number | Uint8Array>> = {},
): Promise<Reply> {
  const all = { command: name, ...members };
  if (name === 'STATUS') return client.call('GET', UPLOAD, { params: all as Record<string, string> });
  const isInParts = Object.values(all).some((value) => typeof value === 'object');
  if (isInParts) return client.call('POST', UPLOAD, { parts: partsOf(all) });
  return client.call('POST', UPLOAD, { params: all as Record<string, string> });
}

/** Sends a file whole, in two segments where it has so many bytes; the answer is what its end was told. */
export async function upload(
  client: Client,
  bytes: Buffer,
  of: { readonly media_type: string; readonly media_category?: string; readonly additional_owners?: string },
): Promise<Reply & { readonly id: string }> {
  const begun = await command(client, 'INIT', { total_bytes: bytes.length, ...of });
  if (begun.status !== 202) throw new Error(begun.text);
  const id = begun.body.media_id_string as string;
  const half = Math.ceil(bytes.length / 2);
  for (const [index, segment] of [bytes.subarray(0, half), bytes.subarray(half)].entries()) {
    if (segment.length === 0) continue;
    const sent = await command(client, 'APPEND', { media_id: id, segment_index: index, media: segment });
    if (sent.status !== 204) throw new Error(sent.text);
  }
  return { ...(await command(client, 'FINALIZE', { media_id: id })), id };
}
