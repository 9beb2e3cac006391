import type { Random } from '../../base/random.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { ReadTransaction, WriteTransaction } from '../../storage/unit-of-work.ts';
import type { OperatorAct } from './operator-acts.ts';
import type { FormFields, PageDocument } from './pages.ts';

/** A unit of work of an operator. */
export interface OperatorWork {
  readonly tx: WriteTransaction;
  readonly box: SecretBox;
  readonly random: Random;
  /** UTC text, by the service clock. */
  readonly now: string;
  /** UTC text, by the system clock, which dates logins and passwords. */
  readonly wallNow: string;
  /** Adds an object to the audit record, such as `user` and its id. */
  readonly addTarget: (kind: string, id: string) => void;
}

/** A request of a signed-in operator. */
export interface OperatorRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly pathParams: Readonly<Record<string, string>>;
  /** The first value of a parameter, from the form of a POST or the query of a GET. */
  parameter(name: string): string | undefined;
  /** The name under which the operator signed in. */
  readonly operator: string;
  /** The `id_hash` of their session. */
  readonly session: string;
  readonly formFields: FormFields;
  /** Reads from the database. */
  read<T>(work: (tx: ReadTransaction) => Promise<T>): Promise<T>;
  /**
   * Runs a unit of work with its audit record, which has `act` and the reason of the form if `act` requires one, but no
   * other input. A unit that throws is recorded as failed.
   * @throws ReasonMissing before anything is done; the page is then displayed with the missing field
   */
  change<T>(act: OperatorAct, work: (unit: OperatorWork) => Promise<T>): Promise<T>;
}

/** The response to an operator. */
export interface OperatorResponse {
  readonly status: number;
  readonly html: Omit<PageDocument, 'frame'>;
  /** Redirect target below `/operator`. */
  readonly location?: string;
}

/** A page of the operator console. */
export interface OperatorPage {
  /** Its path template, below `/operator`. */
  readonly path: string;
  readonly methods: readonly ('GET' | 'POST')[];
  answer(request: OperatorRequest): Promise<OperatorResponse>;
}

/** The sections of the operator console: path and name. */
export type OperatorSections = readonly (readonly [path: string, name: string])[];
