import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { EVENT_TYPE_RULES, EVENT_TYPES } from '../../src/contract/store/events.ts';
import { DEPRECATED_TYPE_NAMES, EVENT_TYPE_NAMES } from '../../src/features/activity/event-types.ts';

const page = readFileSync('docs/activity.md', 'utf8');
const privateTypes = EVENT_TYPES.filter((type) => EVENT_TYPE_RULES[type].isPrivate);

/** The cells of the table under a heading or a line of text. */
function tableUnder(line: string): string[][] {
  const [, after] = page.split(`\n${line}\n`);
  assert.ok(after, `docs/activity.md has no line "${line}"`);
  const rows = after.slice(after.indexOf('|---')).split('\n');
  const end = rows.findIndex((row) => !row.startsWith('|'));
  return rows.slice(1, end).map((row) => row.split('|').map((cell) => cell.trim()));
}

/** The types that a cell names; `dm.*` stands for all that begin so. */
function typesOf(cell: string): string[] {
  return [...cell.matchAll(/`([a-z_.]+)(\*?)`/g)].flatMap(([, name, star]) =>
    star ? EVENT_TYPES.filter((type) => type.startsWith(name!)) : [name!],
  );
}

describe('docs/activity.md', () => {
  test('has every event type in its table, once', () => {
    const named = tableUnder('## Events').flatMap(([, types]) => typesOf(types!));
    assert.deepEqual(named.toSorted(), [...EVENT_TYPES].toSorted());
  });

  test('has every deprecated name with its replacement', () => {
    const named = tableUnder('### Deprecated names').map(([, deprecated, name]) => [deprecated, name]);
    assert.deepEqual(
      named,
      DEPRECATED_TYPE_NAMES.map((row) => row.map((name) => `\`${name}\``)),
    );
  });

  test('states for the private types, and no others, that they need consent', () => {
    const named = tableUnder('Who may subscribe:').flatMap(([, types]) => typesOf(types!));
    assert.deepEqual(named.toSorted(), privateTypes.toSorted());
  });

  test('lists the types whose filters default to `received`', () => {
    const [cell] = /By default .* mean `received`/.exec(page) ?? [''];
    const named = typesOf(cell).filter((name) => name.includes('.'));
    assert.deepEqual(
      named.toSorted(),
      EVENT_TYPES.filter((type) => EVENT_TYPE_RULES[type].direction === 'either').toSorted(),
    );
  });
});

test('no two event types have a name in common', () => {
  const names = EVENT_TYPES.flatMap((type) => {
    const { alias, deprecatedName } = EVENT_TYPE_RULES[type];
    return [type, alias ?? [], deprecatedName ?? []].flat();
  });
  assert.deepEqual(names.toSorted(), EVENT_TYPE_NAMES.map(([name]) => name).toSorted());
  assert.equal(DEPRECATED_TYPE_NAMES.length, 10, 'new types have no PascalCase name');
});
