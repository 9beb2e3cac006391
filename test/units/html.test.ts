import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { html, joinHtml, noHtml } from '../../src/base/html.ts';

const HOSTILE = `<script>alert("1")</script> & 'more'`;
const ESCAPED = '&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62; &#38; &#39;more&#39;';

describe('the tag html', () => {
  test('escapes text wherever it stands', () => {
    assert.equal(html`<p title="${HOSTILE}">${HOSTILE}</p>`.render(), `<p title="${ESCAPED}">${ESCAPED}</p>`);
    assert.equal(html`<ul>${[html`<li>`, HOSTILE, [HOSTILE]]}</ul>`.render(), `<ul><li>${ESCAPED}${ESCAPED}</ul>`);
    assert.equal(joinHtml([html`<b>`, '<'], '>').render(), '<b>&#62;&#60;');
  });

  test('leaves HTML and numbers as they are', () => {
    const inner = html`<b>${1}</b>`;
    assert.equal(html`<p>${inner}${[inner, inner]}${noHtml}</p>`.render(), '<p><b>1</b><b>1</b><b>1</b></p>');
    assert.equal(joinHtml([inner, inner], html`<br>`).render(), '<b>1</b><br><b>1</b>');
  });

  test('makes no string: HTML that is put into one, added or joined throws', () => {
    const inner = html`<b>bold</b>`;
    for (const misuse of [() => `${inner}`, () => `${'<p>'}${inner}`, () => [inner, inner].join('')]) {
      assert.throws(misuse, { name: 'TypeError', message: /use the tag html/ });
    }
  });

  test('is the only way to escape or to leave text unescaped', () => {
    const files = globSync('src/**/*.ts').map((file) => [file, readFileSync(file, 'utf8')] as const);
    const named = (pattern: RegExp): string[] => files.filter(([, text]) => pattern.test(text)).map(([file]) => file);
    assert.deepEqual(named(/from 'ghtml'/), ['src/base/html.ts']);
    // ghtml would leave these values unescaped; this tag would write the exclamation mark.
    assert.deepEqual(named(/!\$\{/), []);
  });
});
