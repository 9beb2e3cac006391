import type { Json, NamedSchemas } from '../../engine/describe/schemas.ts';
import { type ForeignWords, incoming, outgoing } from './alias-file.ts';
import type { Direction, Naming } from './naming.ts';
import { ECHO, flattened, isProtocolName, literalsOf, type OwnWords } from './own-words.ts';
import type { Member, Position } from './rewrite-json.ts';

/** The context in which positions are built. */
export interface PositionContext {
  readonly named: NamedSchemas;
  readonly own: OwnWords;
  readonly naming: Naming;
  readonly paths: Paths;
  readonly direction: Direction;
  /** Whether the names are those of parameters, or of members. */
  readonly names: 'parameters' | 'members';
  /** The position of the echo in replies. */
  readonly echo?: Position | undefined;
}

/**
 * What is renamed where these schemas hold: names of declared members, and values that are declared one by one. A text
 * that may be any text is never changed.
 * @source decision 887, 888
 */
export function positionOf(schemas: readonly unknown[], context: PositionContext): Position | undefined {
  return within(schemas, '', context);
}

/**
 * @param name the own name of the parameter or member that has the schemas.
 * @param entity the name of a member around them that could not be declared, whose values these are.
 */
function within(
  schemas: readonly unknown[],
  name: string,
  context: PositionContext,
  entity?: string,
): Position | undefined {
  const all = flattened(schemas, context.named);
  if (all.length === 0) return undefined;
  if (all.every(isUnknown)) return anything(entity ?? name, context);
  const properties = new Map<string, unknown[]>();
  const others: unknown[] = [];
  const patterns = new Set<string>();
  for (const { properties: own = {}, patternProperties = {}, additionalProperties } of all) {
    for (const [member, of] of Object.entries(own as Json))
      properties.set(member, [...(properties.get(member) ?? []), of]);
    for (const [pattern, of] of Object.entries(patternProperties as Json)) {
      patterns.add(pattern);
      others.push(of);
    }
    if (typeof additionalProperties === 'object') others.push(additionalProperties);
  }
  const isOfEntities = patterns.has(ANY_NAME);
  const members = new Map<string, Member>();
  for (const [member, of] of properties) {
    const position =
      member === ECHO && context.names === 'members'
        ? context.echo
        : within(of, member, context, isUnknown(of[0] as Json) ? entity : undefined);
    addMember(members, member, position, context);
  }
  if (isOfEntities) {
    for (const member of context.own.members) addMember(members, member, within(others, '', context, member), context);
  }
  const items = all.flatMap((each) => [each.items, ...((each.prefixItems as unknown[] | undefined) ?? [])]);
  return pruned({
    members,
    others: isOfEntities ? undefined : within(others, '', context),
    otherName:
      otherNameOf(patterns, context) ?? (properties.size > 0 ? undeclaredNameOf(patterns, context) : undefined),
    items: within(items, name, context),
    text: textOf(all, name, context),
  });
}

/** The pattern of members with any name. */
const ANY_NAME = '^.*$';

/** Whether a schema says nothing of its value. */
function isUnknown(schema: Json): boolean {
  const { type, additionalProperties, properties = {}, ...rest } = schema;
  const isOpen = type === 'object' && additionalProperties === true;
  const says = [
    'const',
    'enum',
    'items',
    'prefixItems',
    '$ref',
    'anyOf',
    'allOf',
    'oneOf',
    'patternProperties',
    'pattern',
    'not',
  ];
  return (
    (type === undefined || isOpen) && Object.keys(properties as Json).length === 0 && !says.some((word) => word in rest)
  );
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** The positions in values of which nothing is declared, by context and the name of the member around them. */
const undeclared = new WeakMap<PositionContext, ReadonlyMap<string, Position>>();

/**
 * What is renamed in a value of which nothing is declared: members by their names, and values of members that are
 * nowhere any text.
 */
function anything(name: string, context: PositionContext): Position {
  const known = undeclared.get(context) ?? undeclaredPositions(context);
  undeclared.set(context, known);
  return known.get(name) ?? known.get('')!;
}

function undeclaredPositions(context: PositionContext): ReadonlyMap<string, Position> {
  const { own, naming, direction } = context;
  const members = new Map<string, Member>();
  const make = (values: ForeignWords | undefined): Writable<Position> => {
    const text = values && replacing(direction === 'out' ? outgoing(values) : incoming(values));
    const position: Writable<Position> = { members, others: undefined, otherName: undefined, items: undefined, text };
    position.items = position;
    return position;
  };
  const rest = make(undefined);
  rest.others = rest;
  const positions = new Map([['', rest]]);
  for (const name of own.members) {
    const position = make(own.freeNames.has(name) ? undefined : naming.values(name));
    position.others = rest;
    positions.set(name, position);
    addMember(members, name, position, context);
  }
  return positions;
}

function addMember(
  members: Map<string, Member>,
  own: string,
  position: Position | undefined,
  { naming, names, direction }: PositionContext,
): void {
  const all = isProtocolName(own) ? [own] : naming.all(own, names);
  const foreign = all[0]!;
  if (direction === 'out') {
    if (foreign !== own || position) members.set(own, { name: foreign, position });
    return;
  }
  for (const each of all) if (each !== own) members.set(each, { name: own, position });
  // The own word too, unless it is the foreign word of something else.
  const isFree = names === 'members' ? naming.ownMember(own) === own : naming.ownParameter(own) === own;
  if (isFree && position) members.set(own, { name: own, position });
}

function textOf(
  schemas: readonly Json[],
  name: string,
  { own: known, naming, paths, direction }: PositionContext,
): Position['text'] {
  if (schemas.some((schema) => schema.items)) return undefined;
  if (name === FAMILIES) return direction === 'in' ? paths.ownSegment : paths.foreignSegment;
  const pattern = schemas.map((schema) => schema.pattern).find((each) => typeof each === 'string');
  if (pattern?.endsWith(SORT_DIRECTION)) return sortText(naming, direction);
  if (pattern?.includes(PROBLEM_PATH) && direction === 'out') {
    return (text) => text.replace(/\/2\/problems\/[\w-]+$/, (path) => paths.foreign(path));
  }
  const values = naming.values(name);
  const literals = new Set(schemas.flatMap(literalsOf));
  if (values === undefined || literals.size === 0) return undefined;
  // An operation may know a value that others declare, in order to refuse it.
  const isKnown = (own: string, foreign: readonly string[]): boolean =>
    literals.has(own) || !(known.freeNames.has(name) || foreign.some((each) => literals.has(each)));
  const fitting = new Map([...values].filter(([own, foreign]) => isKnown(own, foreign)));
  if (fitting.size === 0) return undefined;
  return replacing(direction === 'out' ? outgoing(fitting) : incoming(fitting));
}

/** The parameter and the member whose texts and names are first segments of paths. @source authentication 11.4 */
const FAMILIES = 'resources';
const PROBLEM_PATH = '/2/problems/';
/** How the pattern of sort keys ends. */
const SORT_DIRECTION = '(-(asc|desc))?$';

/** A sort key is the name of a member and a direction. */
function sortText(naming: Naming, direction: Direction): (text: string) => string {
  const foreign = (own: string): string => naming.member(own);
  return (text) => {
    const [, name = text, end = ''] = /^(.*?)(-(?:asc|desc))?$/.exec(text) ?? [];
    return (direction === 'out' ? foreign(name) : naming.ownMember(name)) + end;
  };
}

function otherNameOf(patterns: ReadonlySet<string>, { paths, direction }: PositionContext): Position['otherName'] {
  if (direction === 'in') return undefined;
  if (patterns.has('^/')) return (path) => paths.foreign(path);
  return patterns.has('^[a-z_]+$') ? paths.foreignSegment : undefined;
}

/** An operation may know names that it does not declare, in order to refuse them. */
function undeclaredNameOf(
  patterns: ReadonlySet<string>,
  { naming, names, direction }: PositionContext,
): Position['otherName'] {
  if (names === 'members' || patterns.size > 0) return undefined;
  return direction === 'in' ? naming.ownParameter : naming.parameter;
}

function replacing(words: ReadonlyMap<string, string>): (text: string) => string {
  return (text) => words.get(text) ?? text;
}

/** A position in which nothing is renamed is none. */
function pruned(position: Position): Position | undefined {
  const { members, others, otherName, items, text } = position;
  const isUsed = [...members].some(([name, member]) => member.name !== name || member.position) || others || otherName;
  return isUsed || items || text ? position : undefined;
}

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
