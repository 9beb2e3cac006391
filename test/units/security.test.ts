import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

const page = readFileSync('docs/security.md', 'utf8');

/** Numbers of the requirements of levels 1 and 2, by section. @source OWASP ASVS 5.0.0 */
const REQUIREMENTS: Readonly<Record<string, readonly number[]>> = {
  '1.1': [1, 2],
  '1.2': [1, 2, 3, 4, 5, 6, 7, 8, 9],
  '1.3': [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  '1.4': [1, 2, 3],
  '1.5': [1, 2],
  '2.1': [1, 2, 3],
  '2.2': [1, 2, 3],
  '2.3': [1, 2, 3, 4],
  '2.4': [1],
  '3.2': [1, 2],
  '3.3': [1, 2, 3, 4],
  '3.4': [1, 2, 3, 4, 5, 6],
  '3.5': [1, 2, 3, 4, 5],
  '3.7': [1, 2],
  '4.1': [1, 2, 3],
  '4.2': [1],
  '4.3': [1, 2],
  '4.4': [1, 2, 3, 4],
  '5.1': [1],
  '5.2': [1, 2, 3],
  '5.3': [1, 2],
  '5.4': [1, 2, 3],
  '6.1': [1, 2, 3],
  '6.2': [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
  '6.3': [1, 2, 3, 4],
  '6.4': [1, 2, 3, 4],
  '6.5': [1, 2, 3, 4, 5],
  '6.6': [1, 2, 3],
  '6.8': [1, 2, 3, 4],
  '7.1': [1, 2, 3],
  '7.2': [1, 2, 3, 4],
  '7.3': [1, 2],
  '7.4': [1, 2, 3, 4, 5],
  '7.5': [1, 2],
  '7.6': [1, 2],
  '8.1': [1, 2],
  '8.2': [1, 2, 3],
  '8.3': [1],
  '8.4': [1],
  '9.1': [1, 2, 3],
  '9.2': [1, 2, 3, 4],
  '10.1': [1, 2],
  '10.2': [1, 2],
  '10.3': [1, 2, 3, 4],
  '10.4': [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  '10.5': [1, 2, 3, 4, 5],
  '10.6': [1, 2],
  '10.7': [1, 2, 3],
  '11.1': [1, 2],
  '11.2': [1, 2, 3],
  '11.3': [1, 2, 3],
  '11.4': [1, 2, 3, 4],
  '11.5': [1],
  '11.6': [1],
  '12.1': [1, 2, 3],
  '12.2': [1, 2],
  '12.3': [1, 2, 3, 4],
  '13.1': [1],
  '13.2': [1, 2, 3, 4, 5],
  '13.3': [1, 2],
  '13.4': [1, 2, 3, 4, 5],
  '14.1': [1, 2],
  '14.2': [1, 2, 3, 4],
  '14.3': [1, 2, 3],
  '15.1': [1, 2, 3],
  '15.2': [1, 2, 3],
  '15.3': [1, 2, 3, 4, 5, 6, 7],
  '16.1': [1],
  '16.2': [1, 2, 3, 4, 5],
  '16.3': [1, 2, 3, 4],
  '16.4': [1, 2, 3],
  '16.5': [1, 2, 3],
  '17.1': [1],
  '17.2': [1, 2, 3, 4],
  '17.3': [1, 2],
};

const rows = [...page.matchAll(/^\| (\d+\.\d+\.\d+) \| (.*) \| (.*) \| (.*) \| (.*) \|$/gm)].map(
  ([, id, requirement, state, reason, tests]) => ({
    id: id!,
    requirement: requirement!,
    state: state!,
    reason: reason!,
    tests: [...tests!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
  }),
);
const files = new Set(globSync('test/**/*.ts').map((file) => file.replace(/^test\/|(\.test|\.wider)?\.ts$/g, '')));

describe('the table of the verification standard', () => {
  test('has each requirement of level 2 once, in order', () => {
    const all = Object.entries(REQUIREMENTS).flatMap(([section, numbers]) =>
      numbers.map((each) => `${section}.${each}`),
    );
    assert.equal(all.length, 253);
    assert.deepEqual(
      rows.map(({ id }) => id),
      all,
    );
  });

  test('names tests that exist for everything that is met, and a reason for everything else', () => {
    for (const { id, state, reason, tests } of rows) {
      assert.ok(['met', 'not met', 'n/a'].includes(state), `${id}: ${state}`);
      assert.equal(tests.length > 0, state === 'met', `${id} is ${state} and names ${tests.length} tests`);
      if (state !== 'met') assert.ok(reason.length > 5, `${id} gives no reason`);
    }
    assert.deepEqual(
      rows.flatMap(({ id, tests }) => tests.filter((name) => !files.has(name)).map((name) => `${id}: ${name}`)),
      [],
    );
  });

  test('has the right counts', () => {
    const count = (state: string): number => rows.filter((row) => row.state === state).length;
    const told = `${count('met')} are met, ${count('not met')} are not, ${count('n/a')} do not apply.`;
    assert.ok(page.includes(told), told);
  });
});

describe('the page', () => {
  test('has every chapter that it refers to', () => {
    const anchors = new Set(
      [...page.matchAll(/^## (.*)$/gm)].map(([, title]) =>
        title!
          .toLowerCase()
          .replaceAll(' ', '-')
          .replace(/[^\w-]/g, ''),
      ),
    );
    const wanted = [...page.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor]) => anchor!);
    assert.ok(wanted.length > 5);
    assert.deepEqual(
      wanted.filter((anchor) => !anchors.has(anchor)),
      [],
    );
  });

  test('lists every algorithm that the code uses, and no other', () => {
    const code = globSync('src/**/*.ts').map((file) => readFileSync(file, 'utf8'));
    const used = new Set(
      code.flatMap((text) =>
        [...text.matchAll(/'(aes-\d+-\w+|sha\d+|md5|argon2\w*|scrypt|pbkdf2)'/g)].map(([, name]) => name!),
      ),
    );
    const words: Readonly<Record<string, RegExp>> = {
      'aes-256-gcm': /AES-256-GCM/,
      sha1: /SHA-1|HMAC-SHA1/,
      sha256: /SHA-256|HMAC-SHA256/,
      argon2id: /argon2id/,
    };
    const inventory = page.slice(page.indexOf('## Cryptography'), page.indexOf('## Keys'));
    for (const name of used) assert.match(inventory, words[name] ?? /^$/, `${name} is not in the inventory`);
    assert.ok(used.has('aes-256-gcm') && used.has('argon2id'));
  });
});
