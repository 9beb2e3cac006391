import { readFileSync } from 'node:fs';
import { formatInstant } from '../../base/instants.ts';
import { secureRandom } from '../../base/random.ts';
import type { Environment } from '../../contract/declare/account-state.ts';
import type { Operation } from '../../contract/declare/operation.ts';
import { findOperations } from '../../engine/describe/find-operations.ts';
import { filledExample } from '../../http/reference/fill-example.ts';
import { type ExampleCall, keyNames, workedExamples } from '../../http/reference/worked-examples.ts';
import { fieldOf } from '../../markup/call-form.ts';
import type { FieldErrors } from '../../markup/form-fields.ts';
import { texts } from '../../texts/texts.ts';
import { readDevFile } from '../dev-folder.ts';
import { causesOf } from '../requests/causes.ts';
import type { Entry } from '../requests/entry.ts';
import type { Inspector, InspectorOptions } from '../requests/inspector.ts';
import type { Recorder } from '../requests/recorder.ts';
import { headerOf } from '../requests/signed-curl.ts';
import type { SignatureDebugger } from '../signatures/debugger.ts';
import type { KnownApplication } from '../signatures/known-keys.ts';
import { storedKeys } from '../signatures/stored-keys.ts';
import { callSnippets } from '../snippets/call-snippets.ts';
import { type DevCall, DevError, DevReply, devCall } from '../surface/call.ts';
import { type Draft, draftFrom, draftOf, linkQuery, pathParameters } from './draft.ts';
import { callOf, findKeys, isSigned, missingIn, type Outgoing, sendOver, signed } from './outgoing.ts';
import { choicePage, draftPage } from './pages.ts';

const words = texts.tools.workbench;

const PATH = '/_dev/workbench';
/** Longer links are cut by programs; the request is then opened as it was recorded. */
const LINK_MAX = 4000;

/** The dependencies of the workbench. */
export interface WorkbenchOptions extends InspectorOptions {
  readonly requests: Recorder;
  readonly inspector: Inspector;
  readonly signatures: SignatureDebugger;
  /** Where `dev.json` is. */
  readonly dataFolder: string;
}

/** The state of the page of a draft. */
interface PageState {
  /** The recorded request of which it shows what became. */
  readonly entry?: Entry | undefined;
  readonly errors?: FieldErrors;
  readonly isLost?: boolean;
}

/**
 * Builds requests from their declarations, signs and sends them, and shows what they caused.
 * @source decision 1221
 */
export class Workbench {
  readonly #options: WorkbenchOptions;

  constructor(options: WorkbenchOptions) {
    this.#options = options;
  }

  calls(): readonly DevCall[] {
    return [
      devCall(`GET ${PATH}`, 'The workbench, as a page: builds, signs and sends any request.', ({ query }) =>
        this.#show(query),
      ),
      {
        method: 'POST',
        path: PATH,
        takesForm: true,
        about: 'Sends a request that was built on that page.',
        perform: ({ body }) => this.#act(body as URLSearchParams),
      },
    ];
  }

  async #show(query: URLSearchParams): Promise<DevReply> {
    const { operations, pages, ownNames } = this.#options;
    const id = query.get('request');
    const entry = id === null ? undefined : this.#options.inspector.find(id);
    const known = await this.#keys();
    const draft = draftFrom(query, operations) ?? (entry && draftOf(entry, { operations, known, namesOf: ownNames }));
    if (draft) return this.#page(draft, { entry, isLost: id !== null && !entry });
    const search = query.get('operation')?.trim() ?? '';
    const about = id === null ? undefined : entry ? words.noOperation : words.lost;
    return choicePage({ all: operations, found: findOperations(operations, search), search, about }, pages);
  }

  async #act(form: URLSearchParams): Promise<DevReply> {
    const draft = draftFrom(form, this.#options.operations);
    if (!draft) return new DevReply(303, undefined, { location: PATH });
    const errors = Object.fromEntries(missingIn(draft).map((name) => [fieldOf(name), words.pathNeeds]));
    try {
      if (form.get('act') === 'example') return await this.#page(await this.#example(draft.operation));
      if (Object.keys(errors).length > 0) return await this.#page(draft, { errors });
      const { entry } = await this.#send(draft, form.get('credential') ?? '');
      const link = linkQuery(draft);
      const isLong = link.toString().length > LINK_MAX;
      const state = isLong ? new URLSearchParams() : link;
      state.set('request', String(entry.id));
      return new DevReply(303, undefined, { location: `${PATH}?${state}#reply` });
    } catch (error) {
      if (!(error instanceof DevError)) throw error;
      return this.#page(draft, { errors: { [error.field ?? 'operation']: error.message } });
    }
  }

  /** Sends a draft; resolves with its recorded request, and the text of the reply. */
  async #send(draft: Draft, credential: string): Promise<{ readonly entry: Entry; readonly text: string }> {
    const outgoing = await this.#signed(draft, credential);
    const { ring } = this.#options.requests;
    const authorization = outgoing.headers.get('authorization')!;
    const isIt = ({ direction, headers, target }: Entry): boolean =>
      direction === 'in' && outgoing.url.endsWith(target) && headerOf(headers, 'authorization') === authorization;
    const before = ring.list().at(-1)?.id ?? 0;
    const text = await this.#sent(outgoing, draft.operation);
    const entry = ring.list().findLast((each) => each.id > before && isIt(each));
    if (entry) return { entry, text };
    throw new DevError(502, 'NOT_RECEIVED', words.notReceived(new URL(outgoing.url).origin));
  }

  #sent(outgoing: Outgoing, { shape }: Operation): Promise<string> {
    const path = readDevFile(this.#options.dataFolder)?.tls_ca;
    const ca = path === undefined ? undefined : readFileSync(path, 'utf8');
    return sendOver(outgoing, { isStream: shape === 'stream', ca });
  }

  async #signed(draft: Draft, credential = ''): Promise<Outgoing> {
    const { clock, random = secureRandom, originOf } = this.#options;
    const signer = draft.signer || (await this.#usualSigner(draft.operation));
    return signed({ ...draft, signer }, credential, {
      ...{ clock, random, originOf },
      keysFor: (named) => this.#keys(named),
      bearerOf: async (application) => this.#bearerOf(application, draft.environment),
    });
  }

  /** Asks for the bearer token of an application, as a client does. */
  async #bearerOf({ name }: KnownApplication, environment: Environment): Promise<string> {
    const operation = this.#operation('oauth2.token');
    const parameters = { grant_type: 'client_credentials' };
    const text = await this.#sent(
      await this.#signed({ operation, environment, signer: name, parameters, more: '', body: '' }),
      operation,
    );
    const { access_token } = JSON.parse(text) as { access_token?: string };
    if (access_token !== undefined) return access_token;
    throw new DevError(409, 'NO_BEARER', words.noBearer(text), 'signer');
  }

  /** The example of an operation, with what it names created in the sandbox. */
  async #example(operation: Operation): Promise<Draft> {
    const { clock } = this.#options;
    const keys = this.#devKeys();
    const call = await filledExample(operation.id, {
      now_ms: clock.now(),
      keyOf: (name) => keys[name],
      call: async (step) => {
        const { entry, text } = await this.#send(await this.#draftOfExample(step), '');
        if (entry.status !== undefined && entry.status < 300) return text;
        throw new DevError(409, 'EXAMPLE_FAILED', words.exampleFailed(step.operation, text || String(entry.failure)));
      },
    });
    if (!call) throw new DevError(404, 'NO_EXAMPLE', words.noExample, 'operation');
    return this.#draftOfExample(call);
  }

  async #draftOfExample({
    operation: id,
    path,
    query,
    form,
    json,
    protocol,
    keys,
    ...who
  }: ExampleCall): Promise<Draft> {
    const operation = this.#operation(id);
    const { consumer, token } = keys ?? {};
    const named = { oauth_consumer_key: consumer?.key ?? '', oauth_token: token?.key ?? '' };
    return {
      operation,
      environment: 'sandbox',
      signer: await this.#usualSigner(operation, { operation: id, path, ...who }),
      parameters: { ...pathParameters(operation, path), ...query, ...form, ...protocol },
      more: Object.entries(named)
        .flatMap(([name, value]) => (value === '' ? [] : [`${name}=${value}`]))
        .join('\n'),
      body: json === undefined ? '' : JSON.stringify(json, null, 2),
    };
  }

  /** Who signs the example of an operation: application and user of the demo world. */
  async #usualSigner({ id }: Operation, call = workedExamples().examples[id]?.call): Promise<string> {
    const known = await this.#keys();
    const keys = this.#devKeys();
    const names = call && keyNames(call);
    const application = known.find(({ consumerKey }) => names && consumerKey === keys[names.consumer[0]]) ?? known[0];
    const token = application?.tokens.find((each) => names && each.token === keys[names.token[0]]);
    return [application?.name ?? '', ...(token ? [token.name] : [])].join('/');
  }

  async #page(unsigned: Draft, { entry, errors = {}, isLost = false }: PageState = {}): Promise<DevReply> {
    const { operations, pages, inspector, requests, signatures } = this.#options;
    const draft = { ...unsigned, signer: unsigned.signer || (await this.#usualSigner(unsigned.operation)) };
    const [known, detail] = [await this.#keys(), entry && (await inspector.detail(entry))];
    const isWhole = !entry && missingIn(draft).length === 0 && Object.keys(errors).length === 0;
    const snippets = await orRefusal(this.#snippets(draft));
    const isShown = isWhole && isSigned(draft.operation);
    const preview = isShown ? await orRefusal(this.#signed(draft).then((each) => signatures.explain(each))) : undefined;
    const sent = detail && {
      detail,
      trace: await signatures.explainSent(entry!, this.#options.originOf),
      causes: causesOf(entry!, requests, detail.wrote),
    };
    return draftPage({ draft, known, operations, errors, preview, sent, isLost, snippets }, pages);
  }

  async #snippets(draft: Draft): Promise<ReturnType<typeof callSnippets>> {
    const call = callOf(draft);
    const { oauth_consumer_key: consumerKey = '', oauth_token: named = '', ...protocol } = call.protocol ?? {};
    const known = await this.#keys({ consumerKey, token: named });
    const { application, token } = findKeys(known, draft, call.protocol ?? {});
    const url = this.#options.originOf(draft.environment) + call.path;
    return callSnippets(
      { ...call, protocol, url },
      {
        ...{ consumer_key: application.consumerKey, consumer_secret: application.consumerSecret },
        ...(token && { access_token: token.token, access_token_secret: token.tokenSecret }),
        tls_ca: this.#devKeys().tls_ca,
      },
    );
  }

  #keys(named = { consumerKey: '', token: '' }): Promise<KnownApplication[]> {
    const { store, box, clock } = this.#options;
    return storedKeys(store, box, named, formatInstant(clock.now()));
  }

  #devKeys(): Readonly<Record<string, string | undefined>> {
    return { ...readDevFile(this.#options.dataFolder) };
  }

  #operation(id: string): Operation {
    return this.#options.operations.find((each) => each.id === id)!;
  }
}

/** What a promise resolves with, or why it was refused. */
async function orRefusal<T>(promise: Promise<T>): Promise<T | string> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof DevError) return error.message;
    throw error;
  }
}
