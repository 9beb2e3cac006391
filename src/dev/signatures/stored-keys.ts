import type { SecretBox } from '../../base/secret-box.ts';
import type { AccessToken, Application } from '../../contract/store/credentials.ts';
import { secretContext } from '../../contract/store/sealed-columns.ts';
import type { ReadTransaction, Store } from '../../contract/store/store.ts';
import type { KnownApplication } from './known-keys.ts';

/** Applications whose keys are compared at most, beside the one that a request names: those made first. */
const APPLICATIONS_MAX = 100;

/** What a request sent as key and token; empty where it sent none. */
export interface SentKeys {
  readonly consumerKey: string;
  readonly token: string;
}

/** The keys that the debugger compares with what a request sent: of all applications, and of the tokens of their owners. */
export async function storedKeys(store: Store, box: SecretBox, sent: SentKeys): Promise<KnownApplication[]> {
  const { applications, tokens, names } = await store.read((tx) => readKeys(tx, sent));
  return applications.map(({ id, name, consumer_key, consumer_secret }) => ({
    name,
    consumerKey: consumer_key,
    consumerSecret: box.open(consumer_secret, secretContext.application(id)),
    tokens: tokens
      .filter(({ application_id }) => application_id === id)
      .map((each) => ({
        name: names.get(each.user_id) ?? each.user_id,
        token: each.token,
        tokenSecret: box.open(each.token_secret, secretContext.token(each.id)),
      })),
  }));
}

interface StoredKeys {
  readonly applications: readonly Application[];
  readonly tokens: readonly AccessToken[];
  /** Screen names by user id. */
  readonly names: ReadonlyMap<string, string>;
}

async function readKeys({ credentials }: ReadTransaction, { consumerKey, token }: SentKeys): Promise<StoredKeys> {
  const named = await credentials.findApplicationByKey(consumerKey);
  const first = await credentials.listApplications({ after: '', limit: APPLICATIONS_MAX });
  const applications = named && !first.some(({ id }) => id === named.id) ? [named, ...first] : first;
  const tokens = new Map<string, AccessToken>();
  for (const owner of new Set(applications.map(({ owner_user_id }) => owner_user_id))) {
    for (const each of await credentials.listTokensOf(owner)) tokens.set(each.id, each);
  }
  const sent = await credentials.findToken(token);
  if (sent) tokens.set(sent.id, sent);
  const users = new Set([...tokens.values()].map(({ user_id }) => user_id));
  return { applications, tokens: [...tokens.values()], names: await credentials.findScreenNames([...users]) };
}
