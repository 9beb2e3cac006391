import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { samplePeople } from '../../src/dev/samples/sample-people.ts';

test('a seed stands for the same people in every release', () => {
  const make = samplePeople({ seed: 42, users: 500, registered: ['1', '2'], now: 1_772_000_000 });
  const people = Array.from({ length: 500 }, (_, number) => {
    const { person, known } = make(number);
    return JSON.stringify([{ ...person, identifiers: Buffer.from(person.identifiers).toString('hex') }, known]);
  });
  assert.equal(hash('sha256', people.join('\n')), '0bbf14d94425d9c5137bb0e0b888752a4bf303ef737c2ecbc992df6886a4d7e4');
});
