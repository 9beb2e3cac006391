import { DELIVERY_METRICS, type DeliveryMetric } from './metrics.ts';

/** A day of delivery: the numbers of each metric, one an hour of the local day. Metrics without activity are absent. */
export interface DayOfHours {
  /** 23 to 25 in most time zones. */
  readonly hours: number;
  readonly metrics: ReadonlyMap<DeliveryMetric, readonly number[]>;
}

const PLACES = new Map(DELIVERY_METRICS.map((metric, place) => [metric, place]));
/**
 * The largest number of an hour: the largest double below 2^63. A sum that would be larger stays there; above 2^53,
 * sums are right to 15 digits.
 * @source decision 1070
 */
export const HOUR_MAX = 2 ** 63 - 1024;
/** The bytes of the largest number in groups of seven bits. */
const VARINT_BYTES_MAX = 9;

/**
 * Packs a day: the number of hours in one byte, then the place of each metric with activity in `DELIVERY_METRICS` and its
 * numbers, as varints; those above `HOUR_MAX` count as that. Days that are equal are packed to the same bytes.
 * @throws RangeError when a number is no count, or there is not one for each hour
 */
export function packHours(hours: number, metrics: DayOfHours['metrics']): Uint8Array {
  if (!Number.isInteger(hours) || hours < 1 || hours > 255) throw new RangeError(`a day of ${hours} hours`);
  const active: (readonly [place: number, numbers: readonly number[]])[] = [];
  for (const [metric, numbers] of metrics) {
    if (numbers.length !== hours) throw new RangeError(`${numbers.length} numbers of ${metric} for ${hours} hours`);
    let isActive = false;
    for (const number of numbers) {
      if (!Number.isInteger(number) || number < 0) throw new RangeError(`${number} is no count`);
      if (number > 0) isActive = true;
    }
    if (isActive) active.push([PLACES.get(metric)!, numbers]);
  }
  active.sort(([one], [other]) => one - other);
  const bytes = new Uint8Array(1 + active.length * (2 + hours * VARINT_BYTES_MAX));
  bytes[0] = hours;
  let at = 1;
  const write = (number: number): void => {
    let rest = number;
    while (rest > 127) {
      bytes[at++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    bytes[at++] = rest;
  };
  for (const [place, numbers] of active) {
    write(place);
    for (const number of numbers) write(Math.min(number, HOUR_MAX));
  }
  return bytes.slice(0, at);
}

/**
 * Reads the numbers above zero of a packed day whose metrics have a slot, and passes over the others.
 * @param slots by the place of a metric in `DELIVERY_METRICS`: the target index of its numbers; negative to skip them
 * @returns the number of hours of the day
 * @throws RangeError when the bytes are no day
 */
export function visitHours(
  bytes: Uint8Array,
  slots: Int16Array,
  visit: (slot: number, hour: number, number: number) => void,
): number {
  const hours = bytes[0];
  if (hours === undefined) throw new RangeError('no day of delivery');
  const { length } = bytes;
  let at = 1;
  while (at < length) {
    let place = bytes[at++]!;
    if (place > 127) place = (place & 127) + bytes[at++]! * 128;
    const slot = slots[place];
    if (slot === undefined) throw new RangeError(`the delivery metric ${place} is not known`);
    for (let hour = 0; hour < hours; hour++) {
      let byte = bytes[at++];
      if (byte === 0) continue;
      let number = 0;
      for (let unit = 1; ; unit *= 128) {
        if (byte === undefined) throw new RangeError('a day of delivery is cut off');
        number += (byte & 127) * unit;
        if (byte < 128) break;
        byte = bytes[at++];
      }
      if (slot >= 0 && number > 0) visit(slot, hour, number);
    }
  }
  return hours;
}

/** Unpacks a day; its metrics are in the order of `DELIVERY_METRICS`. @throws RangeError when the bytes are no day */
export function unpackHours(bytes: Uint8Array): DayOfHours {
  const hours = bytes[0];
  if (hours === undefined) throw new RangeError('no day of delivery');
  const metrics = new Map<DeliveryMetric, readonly number[]>();
  let at = 1;
  const read = (): number => {
    let number = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) throw new RangeError('a day of delivery is cut off');
      number += (byte & 127) * unit;
      if (byte < 128) return number;
    }
  };
  while (at < bytes.length) {
    const place = read();
    const metric = DELIVERY_METRICS[place];
    if (metric === undefined) throw new RangeError(`the delivery metric ${place} is not known`);
    const numbers = new Array<number>(hours);
    for (let hour = 0; hour < hours; hour++) numbers[hour] = read();
    metrics.set(metric, numbers);
  }
  return { hours, metrics };
}
