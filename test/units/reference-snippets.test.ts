import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nodeSnippet } from '../../build/snippets/node.ts';
import { pythonSnippet } from '../../build/snippets/python.ts';
import { shellSnippet } from '../../build/snippets/shell.ts';
import { type SnippetPlan, snippetPlan } from '../../build/snippets/steps.ts';
import type { Operation } from '../../src/contract/declare/operation.ts';
import {
  type ExampleCall,
  type VariableSource,
  variablesIn,
  withVariables,
} from '../../src/http/reference/worked-examples.ts';

const OPERATIONS: Readonly<Record<string, Partial<Operation>>> = {
  read: { method: 'GET' },
  change: { method: 'POST' },
  ask: { method: 'POST', credential: 'bearer' },
};

function planOf(call: ExampleCall, variables: Readonly<Record<string, VariableSource>> = {}): SnippetPlan {
  const example = { call, variables: Object.keys(variables), status: 200, reply: {} };
  return snippetPlan(example, variables, (id) => OPERATIONS[id] as Operation, 'http://127.0.0.1:8081');
}

const NASTY = `it's $5 "now" \`x\` \\ {a} ü`;

describe('texts that mean something to a language are written so that they arrive as they are', () => {
  const plan = planOf({ operation: 'change', path: '/12/things', form: { name: NASTY } });

  test('in a shell', () => {
    assert.match(shellSnippet(plan), /--data-urlencode 'name=it'\\''s \$5 "now" `x` \\ \{a\} ü'/);
  });
  test('in Node.js', () => {
    assert.ok(nodeSnippet(plan).includes(`name: 'it\\'s $5 "now" \`x\` \\\\ {a} ü'`));
  });
  test('in Python', () => {
    assert.ok(pythonSnippet(plan).includes(`'name': 'it\\'s $5 "now" \`x\` \\\\ {a} ü'`));
  });
});

describe('variables', () => {
  const variables = { THING: { key: 'user_id' } } as const;
  const call = { operation: 'change', path: '/12/things/$THING', json: { id: '$THING', text: 'a {$THING}b' } };
  const plan = planOf(call, variables);

  test('are set once, before the call', () => {
    assert.match(
      shellSnippet(plan),
      /^THING=\$\(node -p 'require\(".\/data\/dev.json"\).user_id'\)\nURL="http:.*\$THING"\n/,
    );
    assert.match(nodeSnippet(plan), /^const thing = 'USER_ID';$/m);
    assert.match(pythonSnippet(plan), /^thing = 'USER_ID'$/m);
  });
  test('stand in texts and for whole texts', () => {
    assert.ok(shellSnippet(plan).includes(`'{"id":"'"$THING"'","text":"a {'"$THING"'}b"}'`));
    assert.ok(nodeSnippet(plan).includes(`{ id: thing, text: \`a {\${thing}}b\` }`));
    assert.ok(pythonSnippet(plan).includes(`{'id': thing, 'text': f'a {{{thing}}}b'}`));
  });
  test('are found and replaced wherever they are', () => {
    assert.deepEqual(variablesIn(call), ['THING']);
    assert.deepEqual(
      withVariables(call, () => '7'),
      {
        operation: 'change',
        path: '/12/things/7',
        json: { id: '7', text: 'a {7}b' },
      },
    );
  });
});

test('programs have their keys in them, those of the signer of each call', () => {
  const call = { operation: 'read', path: '/12/things', as: 'other', app: 'messages' } as const;
  const plan = { ...planOf(call), keyOf: (name: string) => `<${name}>` };
  const keys = ['consumer_key', 'consumer_secret', 'other_access_token', 'other_access_token_secret'].map(
    (name) => `'<messages_${name}>'`,
  );
  const [key, secret, token, tokenSecret] = keys;
  assert.match(
    nodeSnippet(plan).replace(/\s+/g, ' '),
    new RegExp(
      `const ben = \\{ consumer: \\[ ?${key}, ${secret},? ?\\], token: \\[ ?${token}, ${tokenSecret},? ?\\],? \\};`,
    ),
  );
  assert.match(
    pythonSnippet(plan).replace(/\s+/g, ' '),
    new RegExp(`ben = OAuth1Session\\( ?${keys.join(', ')},? ?\\)`),
  );
});

test('a bearer token is only fetched where the tool does not do it', () => {
  const token = { operation: 'change', path: '/oauth2/token' };
  const plan = planOf({ operation: 'ask', path: '/2/things' }, { BEARER: { call: token, pick: 'access_token' } });
  assert.equal(
    shellSnippet(plan),
    'URL=http://127.0.0.1:8081/2/things\ncurl -X POST "$URL" -H "$(npx --no-install barker sign --header --bearer POST "$URL")"',
  );
  assert.match(nodeSnippet(plan), /^const bearer = /m);
  assert.match(pythonSnippet(plan), /^bearer = /m);
});

test('a query is signed as it is sent', () => {
  const plan = planOf({ operation: 'read', path: '/12/things', query: { q: 'a b' } });
  assert.equal(
    shellSnippet(plan),
    'URL=http://127.0.0.1:8081/12/things\n' +
      `curl -G "$URL" \\\n  --data-urlencode 'q=a b' \\\n  -H "$(npx --no-install barker sign --header GET "$URL" -d 'q=a b')"`,
  );
});
