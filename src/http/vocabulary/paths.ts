import { type ForeignWords, incoming } from './alias-file.ts';

/** Translates paths of this service. */
export interface Paths {
  /** The foreign form of a path or a path template of this service; `keepsNames` those of its parameters. */
  foreign(path: string, keepsNames?: boolean): string;
  /** The own form of a request target; its query stays as it is. */
  own(target: string): string;
  foreignSegment(segment: string): string;
  ownSegment(segment: string): string;
}

/** The paths of a vocabulary. `nameOf` returns the foreign word of a path parameter. */
export function pathsOf(segments: ForeignWords, nameOf: (own: string) => string): Paths {
  const toOwn = incoming(segments);
  const foreignSegment = (segment: string): string =>
    segment.startsWith(':') ? `:${nameOf(segment.slice(1))}` : (segments.get(segment)?.[0] ?? segment);
  const ownSegment = (segment: string): string => toOwn.get(segment) ?? segment;
  const each = (path: string, translate: (segment: string) => string): string =>
    path.split('/').map(translate).join('/');
  return {
    foreignSegment,
    ownSegment,
    foreign: (path, keepsNames = false) =>
      each(path, (segment) => (keepsNames && segment.startsWith(':') ? segment : foreignSegment(segment))),
    own(target) {
      const end = /[?#]|$/.exec(target)!.index;
      const path = each(target.slice(0, end), ownSegment);
      // The rest of the paths of media are names that this service has chosen.
      return path.startsWith('/media/') ? target : path + target.slice(end);
    },
  };
}
