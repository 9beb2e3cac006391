import type { Located } from './located.ts';

/** The size of a picture in pixels: width and height. */
export const PICTURE_SIZE = /^([1-9]\d{0,3})x([1-9]\d{0,3})$/;

/** The size that a member names; undefined when it names none. */
export function sizeOf({ value }: Located): readonly [width: number, height: number] | undefined {
  const [, width, height] = (typeof value === 'string' && PICTURE_SIZE.exec(value)) || [];
  return width === undefined ? undefined : [Number(width), Number(height)];
}
