import { problem } from '../contract/problems/problems.ts';

/** Decodes base64 text piece by piece. Line breaks are skipped; both alphabets are accepted. @throws NOT_BASE64 */
export async function* decodeBase64(
  source: AsyncIterable<Uint8Array>,
  parameter: string,
): AsyncGenerator<Buffer, void, undefined> {
  let rest = '';
  let isEnded = false;
  for await (const chunk of source) {
    const text =
      rest + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1').replace(/\s+/g, '');
    if (text === '' || (isEnded && text === '=')) continue;
    if (isEnded || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) throw problem('NOT_BASE64', { parameter });
    isEnded = text.endsWith('=');
    const whole = isEnded ? text.length : text.length - (text.length % 4);
    rest = text.slice(whole);
    if (whole > 0) yield Buffer.from(text.slice(0, whole), 'base64');
  }
  if (rest.length === 1) throw problem('NOT_BASE64', { parameter });
  if (rest !== '') yield Buffer.from(rest, 'base64');
}
