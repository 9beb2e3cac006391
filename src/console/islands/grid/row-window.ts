import { type Signal, useSignal } from '@preact/signals';
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** The range of mounted rows. */
export interface RowWindow {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
  /** Height of the unmounted rows before and after, in pixels. */
  readonly before: number;
  readonly after: number;
}

const OVERSCAN = 10;

/** Windowing: the visible rows of a scrolling element, with a margin; each row is `height` pixels high. */
export function useRowWindow(
  element: RefObject<HTMLElement | null>,
  { count, height }: { readonly count: number; readonly height: number },
): Signal<RowWindow> {
  const visible = useSignal<RowWindow>({ first: 0, end: Math.min(count, 4 * OVERSCAN), before: 0, after: 0 });
  const virtualizer = useRef<Virtualizer<HTMLElement, HTMLElement>>(undefined);
  const options = {
    count,
    getScrollElement: () => element.current,
    estimateSize: () => height,
    overscan: OVERSCAN,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => take(),
  };
  const take = (): void => {
    const items = virtualizer.current!.getVirtualItems();
    const [first, last] = [items[0], items.at(-1)];
    if (!first || !last) return;
    const [before, after] = [first.start, virtualizer.current!.getTotalSize() - last.end];
    const now = visible.value;
    if (now.first === first.index && now.end === last.index + 1 && now.after === after) return;
    visible.value = { first: first.index, end: last.index + 1, before, after };
  };
  virtualizer.current ??= new Virtualizer(options);
  virtualizer.current.setOptions(options);
  useEffect(() => virtualizer.current!._didMount(), []);
  useEffect(() => {
    virtualizer.current!._willUpdate();
    take();
  }, [count, height]);
  return visible;
}
