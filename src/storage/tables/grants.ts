import type { BearerToken, RequestToken, RequestTokenState } from '../../contract/store/grants.ts';
import { insertRows } from '../core/bulk-insert.ts';
import { Table } from '../core/table.ts';
import { findRow, lockRow, updateRows } from '../core/table-rows.ts';

/** Request tokens. */
export class RequestTokens extends Table {
  find(token: string) {
    return findRow(this.session, 'request_tokens', { token });
  }

  /** Finds and locks it until the unit ends. */
  lock(token: string) {
    return lockRow(this.session, 'request_tokens', { token });
  }

  add(requestToken: RequestToken) {
    return insertRows(this.session, 'request_tokens', [requestToken]);
  }

  /** Changes a request token in the state `from`, in one conditional write; returns false when it is in another. */
  async change(
    id: string,
    from: RequestTokenState,
    changes: Partial<
      Pick<
        RequestToken,
        | 'state'
        | 'user_id'
        | 'verifier_hash'
        | 'attempts'
        | 'expires_at'
        | 'token_secret'
        | 'made_token_id'
        | 'force_login'
      >
    >,
  ) {
    return (await updateRows(this.session, 'request_tokens', changes, { id, state: from })) === 1;
  }

  /** Changes all request tokens in the state `from` of an application, or those approved by one of its users. */
  async changeAll(
    { application, user }: { readonly application: string; readonly user?: string },
    from: RequestTokenState,
    changes: Partial<Pick<RequestToken, 'state' | 'verifier_hash' | 'token_secret'>>,
  ) {
    const whose = { application_id: application, ...(user !== undefined && { user_id: user }) };
    await updateRows(this.session, 'request_tokens', changes, { ...whose, state: from });
  }
}

/** Bearer tokens of applications. */
export class BearerTokens extends Table {
  findByHash(hash: string) {
    return findRow(this.session, 'bearer_tokens', { token_hash: hash });
  }

  findOutstanding(application: string) {
    return findRow(this.session, 'bearer_tokens', { application_id: application, outstanding: 1 });
  }

  /** Rejects when the application has an outstanding token. */
  add(bearer: BearerToken) {
    return insertRows(this.session, 'bearer_tokens', [bearer]);
  }

  /** Revokes it; returns true when it was outstanding. */
  async revoke(id: string, at: string) {
    const changes = { outstanding: null, revoked_at: at };
    return (await updateRows(this.session, 'bearer_tokens', changes, { id, outstanding: 1 })) === 1;
  }
}
