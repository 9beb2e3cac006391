import { type Html, html, noHtml } from '../base/html.ts';
import { formatInstant } from '../base/instants.ts';
import type { Environment } from '../contract/declare/account-state.ts';
import {
  isLoggedIn,
  type Page,
  type PageCallInput,
  type PageCallReply,
  type PageRequest,
  type PageResponse,
  type ShownCall,
  type UserRequest,
} from '../contract/declare/pages.ts';
import type { ConsoleDeps } from './console-deps.ts';
import { consolePage, renderOrRefuse } from './parts/console-document.ts';
import { bodyOf } from './refused-call.ts';

/** An account as the API returns it. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly timezone: string;
  readonly approval_status: string;
  readonly environment: Environment;
}

/** The parameters of a call. */
export type CallParameters = NonNullable<PageCallInput['parameters']>;

/** A request for a page of an account by a user with a role on it. */
export interface AccountVisit {
  readonly request: UserRequest;
  readonly account: Account;
  /** All accounts of the user. */
  readonly accounts: readonly Account[];
  /** A role, and POST_COMPOSER. */
  readonly permissions: readonly string[];
  /** Calls an operation in the environment of the account, with its id. */
  call(operation: string, parameters?: CallParameters, body?: unknown): Promise<PageCallReply>;
  /** Calls an operation and returns its `data`. @throws RefusedCall */
  read<T>(operation: string, parameters?: CallParameters): Promise<T>;
  /** Like `read`; undefined if the object does not exist for the user. @throws RefusedCall */
  find<T>(operation: string, parameters: CallParameters): Promise<T | undefined>;
  /** Calls an operation outside the account, in its environment. */
  lookUp(operation: string, parameters?: CallParameters, body?: unknown): Promise<PageCallReply>;
  /** The current second by the service clock, as UTC text. */
  readonly now: string;
  /** The calls made by the page, in order. */
  readonly calls: readonly ShownCall[];
}

/** The accounts of a user, production first. */
export async function accountsOf({ call }: PageRequest): Promise<readonly Account[]> {
  const lists = await Promise.all(
    (['production', 'sandbox'] as const).map(async (environment) => {
      const parameters = { count: 1000, sort_by: 'name-asc' };
      const { data } = bodyOf(await call(environment, 'accounts.list', { parameters }));
      return (data as Omit<Account, 'environment'>[]).map((each) => ({ ...each, environment }));
    }),
  );
  return lists.flat();
}

/** Builds a page below `/ads/:account_id`. Users without a role on the account get a 404. */
export function accountPage(
  { redirectToLogin, notFound, clock }: ConsoleDeps,
  path: string,
  methods: Page['methods'],
  answer: (visit: AccountVisit) => Promise<PageResponse>,
): Page {
  return {
    path: `/ads/:account_id${path}`,
    methods,
    mayFollowLogin: true,
    async answer(request) {
      const id = request.pathParams.account_id!;
      if (!isLoggedIn(request)) return redirectToLogin(request.path);
      const accounts = await accountsOf(request);
      const account = accounts.find((each) => each.id === id);
      if (!account) return notFound();
      const calls: ShownCall[] = [];
      const lookUp: AccountVisit['lookUp'] = async (operation, parameters, body) => {
        const reply = await request.call(account.environment, operation, { parameters, body });
        calls.push(reply.shown);
        return reply;
      };
      const call: AccountVisit['call'] = (operation, parameters, body) =>
        lookUp(operation, { account_id: id, ...parameters }, body);
      const access = await request.call(account.environment, 'authenticated_user_access.get', {
        parameters: { account_id: id },
      });
      const visit: AccountVisit = {
        request,
        account,
        accounts,
        permissions: bodyOf(access).data.permissions,
        now: formatInstant(clock.now()),
        call,
        read: async (operation, parameters) => bodyOf(await call(operation, parameters)).data,
        async find(operation, parameters) {
          const reply = await call(operation, parameters);
          return reply.status === 403 || reply.status === 404 ? undefined : bodyOf(reply).data;
        },
        lookUp,
        calls,
      };
      return renderOrRefuse(request, answer(visit), (page) => consolePage(visit, page));
    },
  };
}

const WRITERS = ['ACCOUNT_ADMIN', 'AD_MANAGER'];

/** Whether the user may change campaigns. Only decides which forms are offered; the API enforces permissions. */
export function canChange({ permissions }: Pick<AccountVisit, 'permissions'>): boolean {
  return permissions.some((each) => WRITERS.includes(each));
}

/** Links to a form that creates something in the account, if the user may. */
export function createButton(visit: AccountVisit, path: string, text: string): Html {
  return canChange(visit) ? html`<a class="button main" href="/ads/${visit.account.id}/${path}">${text}</a>` : noHtml;
}
