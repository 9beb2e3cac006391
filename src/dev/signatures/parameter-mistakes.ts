import { type Mistake, mistakesOf } from './mistakes.ts';
import { isForm, type SentRequest } from './sent-request.ts';
import type { SentParameter, Signing } from './signing.ts';

/** The same without the parameters that meet a condition; nothing if there are none. */
function without(signing: Signing, isLeftOut: (parameter: SentParameter) => boolean): Signing[] {
  const parameters = signing.parameters.filter((parameter) => !isLeftOut(parameter));
  return parameters.length === signing.parameters.length ? [] : [{ ...signing, parameters }];
}

/** A parameter that was signed though it was not sent as one. */
function added(name: string, value: string): SentParameter {
  return { name, value, source: 'body', raw: { name, value } };
}

/** The protocol parameters that a client may send and forget to sign. */
const PROTOCOL = ['oauth_token', 'oauth_version', 'oauth_nonce', 'oauth_timestamp', 'oauth_callback', 'oauth_verifier'];

/** Mistakes about which parameters are signed, and in which order. @source RFC 5849 3.4.1.3 */
export const parameterMistakes: readonly Mistake[] = [
  ...mistakesOf('parameters', {
    'query-left-out': [
      'The parameters of the query were not signed.',
      'Sign the parameters of the query together with those of the header.',
      (signing) => without(signing, ({ source }) => source === 'query'),
    ],
    'form-left-out': [
      'The parameters of the form body were not signed.',
      'Sign the fields of a body of type application/x-www-form-urlencoded.',
      (signing) => without(signing, ({ source }) => source === 'body'),
    ],
    'query-and-form-left-out': [
      'Only the parameters of the Authorization header were signed.',
      'Sign the parameters of the query and of a form body too.',
      (signing) => {
        const sources = new Set(signing.parameters.map(({ source }) => source));
        if (!sources.has('query') || !sources.has('body')) return [];
        return without(signing, ({ source }) => source !== 'header');
      },
    ],
    'body-signed': [
      'The body was signed although it is not a form.',
      'Sign only bodies of type application/x-www-form-urlencoded; a JSON body is not signed.',
      (signing, { sent }) => {
        if (isForm(sent) || !sent.body) return [];
        return readingsOf(sent).map((parameters) => ({
          ...signing,
          parameters: [...signing.parameters, ...parameters],
        }));
      },
    ],
    'protocol-parameter-left-out': [
      'A parameter of the Authorization header was not signed.',
      'Sign every parameter that begins with oauth_, except oauth_signature.',
      (signing) => PROTOCOL.flatMap((name) => without(signing, (parameter) => parameter.name === name)),
    ],
    'protocol-parameters-not-sent': [
      'A parameter was signed that was not sent.',
      'Send every parameter that is signed.',
      (signing) =>
        [added('oauth_version', '1.0'), added('oauth_token', ''), added('oauth_callback', 'oob')]
          .filter(({ name }) => !signing.parameters.some((known) => known.name === name))
          .map((parameter) => ({ ...signing, parameters: [...signing.parameters, parameter] })),
    ],
    'realm-signed': [
      'The realm of the Authorization header was signed.',
      'Leave the realm out of the parameters.',
      (signing, { sent }) => {
        const realm = /[\s,]realm\s*=\s*"([^"]*)"/i.exec(sent.authorization ?? '')?.[1];
        if (realm === undefined) return [];
        return [{ ...signing, parameters: [...signing.parameters, added('realm', realm)] }];
      },
    ],
    'empty-parameters-left-out': [
      'Parameters with empty values were not signed.',
      'Sign parameters with empty values as name=.',
      (signing) => without(signing, ({ value }) => value === ''),
    ],
    'repeated-parameters-merged': [
      'Of a repeated parameter only one value was signed.',
      'Sign every value of a repeated parameter.',
      (signing) => {
        const last = new Map(signing.parameters.map((parameter) => [parameter.name, parameter]));
        if (last.size === signing.parameters.length) return [];
        const first = new Map(signing.parameters.toReversed().map((parameter) => [parameter.name, parameter]));
        return [last, first].map((kept) => ({ ...signing, parameters: [...kept.values()] }));
      },
    ],
  }),
  ...mistakesOf('order', {
    'parameters-not-sorted': [
      'The parameters were signed in another order.',
      'Sort the encoded parameters by name, then by value, in byte order.',
      (signing) => {
        const { parameters } = signing;
        const from = (name: SentParameter['source']) => parameters.filter(({ source }) => source === name);
        const orders = [
          parameters,
          [...from('query'), ...from('body'), ...from('header')],
          parameters.toSorted((left, right) => left.name.toLowerCase().localeCompare(right.name.toLowerCase(), 'en')),
        ];
        return [
          ...orders.map((each) => ({ ...signing, parameters: each, order: 'sent' as const })),
          { ...signing, order: 'decoded' as const },
          { ...signing, order: 'names' as const },
          { ...signing, parameters: parameters.toReversed(), order: 'names' as const },
        ];
      },
    ],
  }),
];

/** The ways in which clients take a body for parameters. */
function readingsOf({ body = '' }: SentRequest): SentParameter[][] {
  const whole = [[added(body, '')], [added('body', body)]];
  const members = membersOf(body);
  const pairs = /^[^=&\s]+=[^&]*(&[^=&\s]+=[^&]*)*$/.test(body)
    ? [[...new URLSearchParams(body)].map(([name, value]) => added(name, value))]
    : [];
  return [...(members ? [members] : []), ...pairs, ...whole];
}

/** The members of a JSON object, nested values as JSON. */
function membersOf(body: string): SentParameter[] | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    if (parsed === null || typeof parsed !== 'object' || Array.isArray(parsed)) return undefined;
    return Object.entries(parsed).map(([name, value]) =>
      added(name, typeof value === 'object' ? JSON.stringify(value) : String(value)),
    );
  } catch {
    return undefined;
  }
}
