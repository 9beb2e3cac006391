import { formatInstant } from '../base/instants.ts';
import type { Environment } from '../contract/declare/account-state.ts';
import type {
  Page,
  PageCallInput,
  PageCallReply,
  PageRequest,
  PageResponse,
  ShownCall,
} from '../contract/declare/pages.ts';
import type { ConsoleDeps } from './console-deps.ts';
import { consolePage, orRefusal } from './parts/console-document.ts';
import { bodyOf } from './refused-call.ts';

/** An account, as the API replies with it. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly timezone: string;
  readonly approval_status: string;
  readonly environment: Environment;
}

/** A visit of a page of an account by a user who has a role on it. */
export interface AccountVisit {
  readonly request: PageRequest;
  readonly account: Account;
  /** The other accounts of the user too. */
  readonly accounts: readonly Account[];
  /** What the user may do: a role, and POST_COMPOSER. */
  readonly permissions: readonly string[];
  /** Calls an operation in the environment of the account, with its id. */
  call(operation: string, input?: PageCallInput): Promise<PageCallReply>;
  /** Calls an operation in the environment of the account that is about no account. */
  lookUp(operation: string, input?: PageCallInput): Promise<PageCallReply>;
  /** UTC text of the current second, by the clock of the service. */
  readonly now: string;
  /** The calls that the page has made, in order. */
  readonly calls: readonly ShownCall[];
}

/** The accounts of a user, those of production first. */
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

/** A page below `/ads/:account_id`. Those without a role on the account get the page for what does not exist. */
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
      if (!request.user) return redirectToLogin(request.path);
      const accounts = await accountsOf(request);
      const account = accounts.find((each) => each.id === id);
      if (!account) return notFound();
      const calls: ShownCall[] = [];
      const lookUp = async (operation: string, input: PageCallInput = {}): Promise<PageCallReply> => {
        const reply = await request.call(account.environment, operation, input);
        calls.push(reply.shown);
        return reply;
      };
      const call = (operation: string, input: PageCallInput = {}): Promise<PageCallReply> =>
        lookUp(operation, { ...input, parameters: { account_id: id, ...input.parameters } });
      const access = await request.call(account.environment, 'authenticated_user_access.get', {
        parameters: { account_id: id },
      });
      const now = formatInstant(clock.now());
      const visit = {
        request,
        account,
        accounts,
        permissions: bodyOf(access).data.permissions,
        now,
        call,
        lookUp,
        calls,
      };
      return orRefusal(request, answer(visit), (page) => consolePage(visit, page));
    },
  };
}
