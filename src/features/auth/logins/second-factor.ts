import type { Clock } from '../../../base/clock.ts';
import { formatInstant } from '../../../base/instants.ts';
import type { Random } from '../../../base/random.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import { secretContext } from '../../../contract/store/sealed-columns.ts';
import type { Store, WriteTransaction } from '../../../contract/store/store.ts';
import { matchingTimeStep, newRecoveryCodes, recoveryCodeHash } from './totp.ts';

/** The dependencies of one-time codes. */
export interface SecondFactorDeps {
  readonly store: Store;
  /** One-time codes are those of devices, whose clocks are not moved. */
  readonly wallClock: Clock;
  readonly box: SecretBox;
  /** Cryptographically secure, also in development. */
  readonly secrets: Random;
}

/** Whether a user has turned on one-time codes. */
export async function hasSecondFactor({ store }: Pick<SecondFactorDeps, 'store'>, user: string): Promise<boolean> {
  return (await store.read((tx) => tx.secondFactors.find(user))) !== undefined;
}

/** Checks a code and uses it up. Returns its kind; undefined when it is invalid or used already. */
export async function consumeCode(
  { store, wallClock, box }: SecondFactorDeps,
  user: string,
  code: string,
): Promise<'one-time' | 'recovery' | undefined> {
  const typed = code.replace(/[\s-]/g, '');
  const factor = await store.read((tx) => tx.secondFactors.find(user));
  if (!factor) return undefined;
  if (!/^\d{6}$/.test(typed)) {
    const isTaken = await store.write((tx) => tx.secondFactors.takeRecovery(user, recoveryCodeHash(user, typed)));
    return isTaken ? 'recovery' : undefined;
  }
  const step = matchingTimeStep(box.open(factor.secret, secretContext.secondFactor(user)), typed, wallClock.now());
  if (step === undefined) return undefined;
  return (await store.write((tx) => tx.secondFactors.use(user, step))) ? 'one-time' : undefined;
}

/**
 * Turns on one-time codes with a secret that a code has confirmed. `record` runs in the same unit of work.
 * @returns the recovery codes, to be shown once.
 */
export async function enableSecondFactor(
  { store, wallClock, box, secrets }: SecondFactorDeps,
  user: string,
  { secret, step }: { readonly secret: string; readonly step: number },
  record: (tx: WriteTransaction) => Promise<void>,
): Promise<readonly string[]> {
  const codes = newRecoveryCodes(secrets);
  await store.write(async (tx) => {
    await tx.secondFactors.remove(user);
    await tx.secondFactors.add({
      user_id: user,
      secret: box.seal(secret, secretContext.secondFactor(user)),
      last_step: step,
      created_at: formatInstant(wallClock.now()),
    });
    await tx.secondFactors.putRecovery(user, hashesOf(user, codes));
    await record(tx);
  });
  return codes;
}

/** Replaces all recovery codes of a user; undefined for a user without one-time codes. @source decision 512 */
export async function renewRecoveryCodes(
  { store, secrets }: SecondFactorDeps,
  user: string,
  record: (tx: WriteTransaction) => Promise<void>,
): Promise<readonly string[] | undefined> {
  const codes = newRecoveryCodes(secrets);
  const isDone = await store.write(async (tx) => {
    if (!(await tx.secondFactors.find(user))) return false;
    await tx.secondFactors.putRecovery(user, hashesOf(user, codes));
    await record(tx);
    return true;
  });
  return isDone ? codes : undefined;
}

function hashesOf(user: string, codes: readonly string[]): string[] {
  return codes.map((code) => recoveryCodeHash(user, code));
}
