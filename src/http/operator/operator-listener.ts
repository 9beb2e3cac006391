import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import { type Html, html, noHtml } from '../../base/html.ts';
import { formatInstant, formatMillisecond } from '../../base/instants.ts';
import { language } from '../../base/language.ts';
import type { Random } from '../../base/random.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import { OPERATOR_ACTS, type OperatorAct } from '../../contract/declare/operator-acts.ts';
import type {
  OperatorPage,
  OperatorRequest,
  OperatorResponse,
  OperatorSections,
} from '../../contract/declare/operator-pages.ts';
import type { FormFields, PageDocument } from '../../contract/declare/pages.ts';
import { Problem } from '../../contract/problems/problems.ts';
import type { RenderedPage, SentForms } from '../../contract/services/sent-forms.ts';
import {
  type AuditEvent,
  type AuditOutcome,
  type AuditRecord,
  REASON_MAX,
  reasonOf,
  withReason,
} from '../../contract/store/audit.ts';
import { EVERYTHING } from '../../contract/store/cache-changes.ts';
import type { OperatorSession } from '../../contract/store/logins.ts';
import type { Store, WriteTransaction } from '../../storage/unit-of-work.ts';
import { texts } from '../../texts/texts.ts';
import { type Branding, FAVICON_PATH, LOGO_PATH } from '../pages/branding.ts';
import { browserName, type VisitingBrowser } from '../pages/browser-sessions.ts';
import { OPERATOR_COOKIE, readCookie, setCookieHeader } from '../pages/cookies.ts';
import { isFromOwnOrigin, isFromOwnPage } from '../pages/csrf.ts';
import { renderDocument } from '../pages/document.ts';
import { islandFile } from '../pages/islands.ts';
import { pageHeaders } from '../pages/page-headers.ts';
import { continueIn, inLanguageOf, LANGUAGE_PARAMETER, languageChoice, noteParameter } from '../pages/page-language.ts';
import { styleSheets } from '../pages/style-sheets.ts';
import { readBody } from '../read-body.ts';
import { send } from '../reply.ts';
import { NOSNIFF_HEADERS, type Reach } from '../request-origin.ts';
import { createRouter, type Router } from '../routes.ts';
import { operatorSessions } from './operator-sessions.ts';

const words = texts.site.operator;

/** The dependencies of the operator console. */
interface OperatorDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly wallClock: Clock;
  readonly box: SecretBox;
  readonly random: Random;
  readonly log: Logger;
  readonly branding: Branding;
  readonly sentForms: SentForms;
  readonly pages: readonly OperatorPage[];
  readonly sections: () => OperatorSections;
  readonly addressOf: (request: IncomingMessage) => string;
  readonly reachOf: (request: IncomingMessage) => Reach;
  /** Consumes a sign-in link; returns the name of the operator, or undefined for an invalid link. */
  readonly useLink: (tx: WriteTransaction, token: string, wallNow: string) => Promise<string | undefined>;
}

/** A request for the sign-in page. */
interface SignIn {
  readonly method: string;
  readonly input: URLSearchParams;
  readonly visitor: VisitingBrowser;
  /** Whether no page of another site sent it. */
  readonly isOwn: boolean;
  readonly isSecure: boolean;
}

/** A page request of a signed-in operator. */
interface Visit {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly input: URLSearchParams;
  readonly session: OperatorSession;
  readonly address: string;
  readonly pathParams: Readonly<Record<string, string>>;
}

/** An action that requires a reason was requested without one. */
class ReasonMissing extends Error {
  override readonly name = 'ReasonMissing';
}

const HOME = '/operator';
const SIGN_IN = '/operator/sign-in';
const SIGN_OUT = '/operator/sign-out';
const FORM_BYTES_MAX = 65_536;
const TARGETS_MAX = 100;

/**
 * Serves the operator console, and passes everything else to `others`: probes and metrics. For a listener that only
 * operators can reach.
 * @source decision 1006
 */
export function operatorListener(deps: OperatorDeps, others: RequestListener): RequestListener {
  const operatorConsole = new OperatorConsole(deps);
  return (request, response) => {
    const path = request.url!.split('?', 1)[0]!;
    if (path === HOME || path.startsWith(`${HOME}/`))
      void inLanguageOf(request, deps.branding.language, () => operatorConsole.answer(request, response));
    else if (!sendAsset(deps.branding, path, response)) others(request, response);
  };
}

class OperatorConsole {
  readonly #deps: OperatorDeps;
  readonly #sessions: ReturnType<typeof operatorSessions>;
  readonly #byPath: ReadonlyMap<string, OperatorPage>;
  readonly #find: Router;

  constructor(deps: OperatorDeps) {
    this.#deps = deps;
    this.#sessions = operatorSessions({ ...deps, clock: deps.wallClock });
    this.#byPath = new Map(deps.pages.map((page) => [HOME + page.path, page]));
    this.#find = createRouter(this.#byPath.keys());
  }

  /** Answers a request. Never rejects. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#answer(request, response);
    } catch (err) {
      const isProblem = err instanceof Problem;
      if (!isProblem) this.#deps.log.error({ err }, 'a page of operators failed');
      const title = isProblem ? words.noDatabase : words.failed;
      const headers = isProblem ? ['retry-after', '1'] : [];
      this.#send(response, isProblem ? 503 : 500, page(title, html`<p>${words.failedAbout}</p>`), headers);
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '/', query = ''] = request.url!.split('?', 2);
    const { isOwnName, isSecure } = this.#deps.reachOf(request);
    if (!isOwnName) return this.#send(response, 421, page(words.wrongName, html`<p>${words.wrongNameAbout}</p>`));
    const choice = languageChoice(request, isSecure);
    if (choice)
      return this.#send(response, 303, page(texts.site.done, noHtml), [
        ...['location', choice.location, 'set-cookie', choice.cookie],
      ]);
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    if (method !== 'GET' && method !== 'POST')
      return this.#send(response, 405, page(words.wrongMethod, noHtml), ['allow', 'GET, HEAD, POST']);
    const input = new URLSearchParams(method === 'POST' ? (await readBody(request, FORM_BYTES_MAX)).toString() : query);
    continueIn(method === 'POST' ? input.get(LANGUAGE_PARAMETER) : null);
    const origins = ['http', 'https'].map((scheme) => `${scheme}://${request.headers.host}`);
    const address = this.#deps.addressOf(request);
    const isOwn = isFromOwnOrigin(request, origins);
    const cookie = readCookie(request, OPERATOR_COOKIE, isSecure);
    const visitor = { cookie, address, browser: browserName(request.headers['user-agent']) };
    if (path === SIGN_IN) return this.#signIn(response, { method, input, visitor, isOwn, isSecure });
    const session = await this.#sessions.find(visitor);
    if (!session) return this.#send(response, 401, signedOut());
    const tokens = { input: input.get('authenticity_token') ?? undefined, own: session.form_token, isKept: true };
    if (method === 'POST' && !isFromOwnPage(request, origins, tokens))
      return this.#send(response, 403, page(words.outdated, html`<p>${words.outdatedAbout}</p>`));
    if (path === SIGN_OUT) {
      if (method === 'POST') await this.#signOut(session, address);
      return this.#send(response, 200, signedOut(), [
        'set-cookie',
        setCookieHeader(OPERATOR_COOKIE, undefined, isSecure),
      ]);
    }
    const route = this.#find(request.url!);
    const found = route && this.#byPath.get(route.path);
    if (!found?.methods.includes(method)) return this.#send(response, 404, this.#framed(session, path, notFound()));
    const visit = { method, path, input, session, address, pathParams: route!.params } as const;
    const perform = async () => {
      const {
        status,
        html: content,
        location,
      } = await found.answer(this.#visitOf(visit)).catch((error) => this.#withoutReason(error, found, visit));
      const page = this.#rendered(
        status,
        this.#framed(session, path, content),
        location ? ['location', HOME + location] : [],
      );
      return { page, isDone: status < 400 };
    };
    const key = input.get('form_key');
    if (method === 'GET' || key === null) return sendRendered(response, (await perform()).page);
    const form = { key, address: request.url!, members: [...input] };
    const done = await this.#deps.sentForms.once(form, cookie!, perform);
    if (done) return sendRendered(response, done);
    return this.#send(response, 409, sentBefore());
  }

  async #signIn(response: ServerResponse, of: SignIn): Promise<void> {
    const { method, input, visitor, isOwn, isSecure } = of;
    const token = input.get('token') ?? '';
    // Opening the link does not consume it: link scanners open links too.
    if (method === 'GET') {
      const form = html`<form method="post" action="${SIGN_IN}"><input type="hidden" name="token" value="${token}"><button class="main" type="submit">${words.signInButton}</button></form>`;
      return this.#send(response, 200, page(words.signIn, form));
    }
    const { address } = visitor;
    const begun = isOwn ? await this.#beginSession(token, visitor) : undefined;
    if (begun === undefined) {
      this.#deps.log.info({ event: 'operator_login_failed', address }, 'audit');
      return this.#send(response, 403, oldLink());
    }
    this.#deps.log.info({ event: 'operator_login', operator: begun.operator, address }, 'audit');
    const cookie = setCookieHeader(OPERATOR_COOKIE, begun.cookie, isSecure);
    this.#send(response, 303, page(words.signedIn, noHtml), ['location', HOME, 'set-cookie', cookie]);
  }

  /** Consumes the link, starts the session and records the login in one unit of work. @source decision 1060 */
  #beginSession(
    token: string,
    visitor: VisitingBrowser,
  ): Promise<{ readonly operator: string; readonly cookie: string } | undefined> {
    return this.#deps.store.write(async (tx) => {
      const operator = await this.#deps.useLink(tx, token, formatInstant(this.#deps.wallClock.now()));
      if (operator === undefined) return undefined;
      await tx.audit.append([newRecord(this.#deps, { event: 'operator_login', operator, address: visitor.address })]);
      return { operator, cookie: await this.#sessions.start(tx, operator, visitor) };
    });
  }

  async #signOut({ id_hash, operator }: OperatorSession, address: string): Promise<void> {
    this.#deps.log.info({ event: 'operator_logout', operator, address }, 'audit');
    await this.#deps.store.write(async (tx) => {
      await tx.operatorSessions.remove(id_hash);
      await tx.audit.append([newRecord(this.#deps, { event: 'operator_logout', operator, address })]);
    });
  }

  #visitOf({ method, path, input, session, address, pathParams }: Visit): OperatorRequest {
    const { operator, id_hash } = session;
    return {
      ...{ method, path, pathParams, operator, session: id_hash, formFields: this.#fieldsOf(session) },
      parameter: (name) => {
        noteParameter(name);
        return input.get(name) ?? undefined;
      },
      read: (work) => this.#deps.store.read(work),
      change: async (act, work) => {
        const { needsReason } = OPERATOR_ACTS[act];
        const reason = needsReason ? reasonOf(input.get('reason') ?? '') : undefined;
        if (needsReason && reason === undefined) throw new ReasonMissing();
        return change(this.#deps, { operator, address, act, reason }, work);
      },
    };
  }

  /** The page of a form that lacks a reason; throws on any other error. */
  async #withoutReason(error: unknown, of: OperatorPage, visit: Visit): Promise<OperatorResponse> {
    if (!(error instanceof ReasonMissing)) throw error;
    const { html: shown } = await of.answer(this.#visitOf({ ...visit, method: 'GET', input: new URLSearchParams() }));
    const alert = html`<p class="alert" role="alert">${texts.operator.noReason(REASON_MAX)}</p>`;
    return { status: 400, html: { ...shown, content: html`${alert}${shown.content}` } };
  }

  #fieldsOf({ form_token }: OperatorSession): FormFields {
    return {
      authenticity_token: form_token,
      form_key: this.#deps.sentForms.keyFor('', form_token),
      [LANGUAGE_PARAMETER]: language(),
    };
  }

  #send(response: ServerResponse, status: number, shown: PageDocument, more: readonly string[] = []): void {
    sendRendered(response, this.#rendered(status, shown, more));
  }

  #framed(session: OperatorSession, path: string, content: OperatorResponse['html']): PageDocument {
    const links = this.#deps.sections().map(([own, text]) => ({
      href: HOME + own,
      text,
      isCurrent: own === '' ? path === HOME : path === HOME + own || path.startsWith(`${HOME + own}/`),
    }));
    const frame = { screenName: session.operator, formFields: this.#fieldsOf(session), section: undefined };
    return { width: 'full', ...content, frame: { ...frame, operatorLinks: links, logoutPath: SIGN_OUT } };
  }

  #rendered(status: number, shown: PageDocument, more: readonly string[] = []): RenderedPage {
    const type = ['content-type', 'text/html; charset=utf-8'];
    const headers = [...pageHeaders({ html: shown }), ...NOSNIFF_HEADERS, ...type, ...more];
    return { status, headers, text: renderDocument(shown, this.#deps.branding), cookies: [] };
  }
}

function sendRendered(response: ServerResponse, { status, headers, text }: RenderedPage): void {
  send(response, status, [...headers], text);
}

const page = (title: string, content: Html): PageDocument => ({ title, content: html`<h1>${title}</h1>${content}` });

const signedOut = () => page(words.signedOut, html`<p>${words.signedOutAbout}</p>`);

function sentBefore(): PageDocument {
  const [title, about] = texts.errors.reasons['sent before'];
  return page(title, html`<p>${about}</p>`);
}

const oldLink = () => page(words.oldLink, html`<p>${words.oldLinkAbout}</p>`);

const notFound = () => page(words.notFound, html`<p><a href="${HOME}">${words.overview}</a></p>`);

/** Builds the audit record of an operator action; `address` is that of the browser. @source decision 1007 */
function newRecord(
  { clock, random }: Pick<OperatorDeps, 'clock' | 'random'>,
  of: { readonly event: AuditEvent; readonly operator: string; readonly address: string } & Partial<AuditRecord>,
): AuditRecord {
  const { operator, address, ...about } = of;
  return {
    id: random.bytes(8).toString('hex'),
    at: formatMillisecond(clock.now()),
    outcome: 'done',
    actor: `operator:${operator}`,
    sudo_user: null,
    origin: address,
    transaction_id: null,
    command: null,
    targets: [],
    ...about,
  };
}

/** Runs a unit of work with its audit record, as a command of an operator does. @source decision 592 and 1007 */
async function change<T>(
  deps: OperatorDeps,
  of: {
    readonly operator: string;
    readonly address: string;
    readonly act: OperatorAct;
    readonly reason: string | undefined;
  },
  work: Parameters<OperatorRequest['change']>[1],
): Promise<T> {
  const { store, clock, wallClock, box, random } = deps;
  const { operator, address, act, reason } = of;
  const command = reason === undefined ? `console ${act}` : withReason(`console ${act}`, reason);
  const targets = new Set<string>();
  const recordOf = (outcome: AuditOutcome): AuditRecord =>
    newRecord(deps, {
      ...{ event: 'command', operator, address, outcome, command },
      targets: [...targets].slice(0, TARGETS_MAX),
    });
  try {
    return (await store.write(async (tx) => {
      // A unit of work may be run again.
      targets.clear();
      tx.invalidate(EVERYTHING);
      const times = { now: formatInstant(clock.now()), wallNow: formatInstant(wallClock.now()) };
      const addTarget = (kind: string, id: string) => void targets.add(`${kind}:${id}`);
      const result = await work({ tx, box, random, ...times, addTarget });
      await tx.audit.append([recordOf('done')]);
      return result;
    })) as T;
  } catch (error) {
    // The error is reported even if it cannot be recorded.
    await store.write((tx) => tx.audit.append([recordOf('failed')])).catch(() => undefined);
    throw error;
  }
}

/** Sends what pages load. */
function sendAsset({ favicon, logo }: Branding, path: string, response: ServerResponse): boolean {
  const sheet = styleSheets[/^\/pages\/([\w.-]+\.css)$/.exec(path)?.[1] ?? ''];
  const script = islandFile(path);
  const picture = path === FAVICON_PATH ? favicon : path === LOGO_PATH ? logo : undefined;
  const content = sheet ?? script ?? picture?.bytes;
  if (content === undefined) return false;
  const type = picture ? picture.type : `text/${script ? 'javascript' : 'css'}; charset=utf-8`;
  response.writeHead(200, ['content-type', type, 'cache-control', 'max-age=300', ...NOSNIFF_HEADERS]);
  response.end(content);
  return true;
}
