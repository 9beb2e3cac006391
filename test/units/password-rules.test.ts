import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { passwordError } from '../../src/features/platform/password-rules.ts';

const ada = { screen_name: 'ada_l', name: 'Ada Lovelace' };
const rules = { password_length_min: 8, service: 'Barker' };
const wrong = (password: string, user = ada, more = {}): string | undefined =>
  passwordError(password, user, { ...rules, ...more });

describe('a password', () => {
  const LENGTH = 'the password must have 8 to 256 characters';
  const COMMON = 'the password is one of the 10,000 most common, which are tried first';
  const rows: [password: string, says: string | undefined][] = [
    ['', LENGTH],
    ['7 chars', LENGTH],
    ['8 chars!', undefined],
    ['🦆'.repeat(7), LENGTH],
    ['🦆🐍🦊🐢🐙🦉🐝🦋', undefined],
    ['correct horse battery staple with a few more words to be long enough for anybody', undefined],
    ['parola d’ordine лодка 船', undefined],
    ['x'.repeat(257), LENGTH],
    [`${'y '.repeat(127)}yz`, undefined],
    ['password', COMMON],
    ['PassWord', COMMON],
    ['12345678', COMMON],
    ['qwertyuiop', COMMON],
    ['ｐａｓｓｗｏｒｄ', COMMON],
    ['my ADA_L secret', 'the password must not contain the user name'],
    ['lovelace 1843 x', 'the password must not contain the name of the user'],
    ['AdaLovelace 1843', 'the password must not contain the name of the user'],
    ['barker is great', 'the password must not contain the name of the service'],
  ];
  for (const [password, says] of rows) {
    test(`${password.slice(0, 30)}: ${says ?? 'good'}`, () => assert.equal(wrong(password), says));
  }

  test('short user names are no reason to refuse, and the minimum length is a setting', () => {
    assert.equal(wrong('a green bottle', { screen_name: 'a', name: 'Al' }), undefined);
    assert.equal(
      wrong('a green bottle', ada, { password_length_min: 15 }),
      'the password must have 15 to 256 characters',
    );
    assert.equal(wrong('a green bottle', ada, { service: '' }), undefined);
  });
});
