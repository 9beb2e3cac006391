import type { Mistake } from './mistakes.ts';
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
  {
    name: 'query-left-out',
    group: 'parameters',
    text: 'The parameters of the query were not signed.',
    remedy: 'Sign the parameters of the query together with those of the header.',
    apply: (signing) => without(signing, ({ source }) => source === 'query'),
  },
  {
    name: 'form-left-out',
    group: 'parameters',
    text: 'The parameters of the form body were not signed.',
    remedy: 'Sign the fields of a body of type application/x-www-form-urlencoded.',
    apply: (signing) => without(signing, ({ source }) => source === 'body'),
  },
  {
    name: 'query-and-form-left-out',
    group: 'parameters',
    text: 'Only the parameters of the Authorization header were signed.',
    remedy: 'Sign the parameters of the query and of a form body too.',
    apply(signing) {
      const sources = new Set(signing.parameters.map(({ source }) => source));
      if (!sources.has('query') || !sources.has('body')) return [];
      return without(signing, ({ source }) => source !== 'header');
    },
  },
  {
    name: 'body-signed',
    group: 'parameters',
    text: 'The body was signed although it is not a form.',
    remedy: 'Sign only bodies of type application/x-www-form-urlencoded; a JSON body is not signed.',
    apply(signing, { sent }) {
      if (isForm(sent) || !sent.body) return [];
      return readingsOf(sent).map((parameters) => ({
        ...signing,
        parameters: [...signing.parameters, ...parameters],
      }));
    },
  },
  {
    name: 'protocol-parameter-left-out',
    group: 'parameters',
    text: 'A parameter of the Authorization header was not signed.',
    remedy: 'Sign every parameter that begins with oauth_, except oauth_signature.',
    apply: (signing) => PROTOCOL.flatMap((name) => without(signing, (parameter) => parameter.name === name)),
  },
  {
    name: 'protocol-parameters-not-sent',
    group: 'parameters',
    text: 'A parameter was signed that was not sent.',
    remedy: 'Send every parameter that is signed.',
    apply: (signing) =>
      [added('oauth_version', '1.0'), added('oauth_token', ''), added('oauth_callback', 'oob')]
        .filter(({ name }) => !signing.parameters.some((known) => known.name === name))
        .map((parameter) => ({ ...signing, parameters: [...signing.parameters, parameter] })),
  },
  {
    name: 'realm-signed',
    group: 'parameters',
    text: 'The realm of the Authorization header was signed.',
    remedy: 'Leave the realm out of the parameters.',
    apply(signing, { sent }) {
      const realm = /[\s,]realm\s*=\s*"([^"]*)"/i.exec(sent.authorization ?? '')?.[1];
      if (realm === undefined) return [];
      return [{ ...signing, parameters: [...signing.parameters, added('realm', realm)] }];
    },
  },
  {
    name: 'empty-parameters-left-out',
    group: 'parameters',
    text: 'Parameters with empty values were not signed.',
    remedy: 'Sign parameters with empty values as name=.',
    apply: (signing) => without(signing, ({ value }) => value === ''),
  },
  {
    name: 'repeated-parameters-merged',
    group: 'parameters',
    text: 'Of a repeated parameter only one value was signed.',
    remedy: 'Sign every value of a repeated parameter.',
    apply(signing) {
      const last = new Map(signing.parameters.map((parameter) => [parameter.name, parameter]));
      if (last.size === signing.parameters.length) return [];
      const first = new Map(signing.parameters.toReversed().map((parameter) => [parameter.name, parameter]));
      return [last, first].map((kept) => ({ ...signing, parameters: [...kept.values()] }));
    },
  },
  {
    name: 'parameters-not-sorted',
    group: 'order',
    text: 'The parameters were signed in another order.',
    remedy: 'Sort the encoded parameters by name, then by value, in byte order.',
    apply(signing) {
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
  },
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
