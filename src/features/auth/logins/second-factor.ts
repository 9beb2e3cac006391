import { hash } from 'node:crypto';
import { createRequire } from 'node:module';
import type { Clock } from '../../../base/clock.ts';
import { formatInstant } from '../../../base/instants.ts';
import type { Random } from '../../../base/random.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import { secretContext } from '../../../contract/store/sealed-columns.ts';
import { CODE_STEP_S, CODE_STEPS_OFF } from '../../../contract/store/second-factors.ts';
import type { Store, WriteTransaction } from '../../../storage/unit-of-work.ts';

/** Loaded with the first code. */
function otpauth(): typeof import('otpauth') {
  return createRequire(import.meta.url)('otpauth');
}

/** The parameters that every authenticator app supports: SHA-1, six digits, 30 seconds. @source decision 511 */
const SHAPE = { algorithm: 'SHA1', digits: 6, period: CODE_STEP_S } as const;
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
/** 80 random bits per recovery code: too many to guess from the hash. @source decision 512 */
const RECOVERY_BYTES = 10;

/** A new secret for one-time codes, in Base32. */
export function newTotpSecret(random: Random): string {
  return base32(random.bytes(SECRET_BYTES));
}

/** The `otpauth:` URI that authenticator apps read from a QR code. */
export function totpUri(secret: string, of: { readonly service: string; readonly userName: string }): string {
  const { TOTP } = otpauth();
  return new TOTP({ ...SHAPE, secret, issuer: of.service, label: of.userName }).toString();
}

/**
 * The time step that a code belongs to; undefined when it matches none near `now`, in milliseconds.
 * @source decision 511
 */
export function matchingTimeStep(secret: string, code: string, now: number): number | undefined {
  const { Secret, TOTP } = otpauth();
  const totp = { ...SHAPE, secret: Secret.fromBase32(secret), timestamp: now };
  const delta = TOTP.validate({ ...totp, token: code, window: CODE_STEPS_OFF });
  return delta === null ? undefined : TOTP.counter({ period: SHAPE.period, timestamp: now }) + delta;
}

/** New recovery codes, as they are displayed. */
function newRecoveryCodes(random: Random): readonly string[] {
  return Array.from({ length: RECOVERY_CODES }, () => groupsOfFour(base32(random.bytes(RECOVERY_BYTES)).toLowerCase()));
}

/** The hash under which a recovery code of a user is stored, independent of letter case and separators. */
function recoveryCodeHash(user: string, code: string): string {
  const plain = code.toLowerCase().replace(/[^a-z2-7]/g, '');
  return hash('sha256', `${user}\n${plain}`);
}

/** Text in groups of four, for people to read and type. */
export function groupsOfFour(text: string): string {
  return text.replace(/(.{4})(?=.)/g, '$1-');
}

function base32(bytes: Buffer): string {
  const { Secret } = otpauth();
  return new Secret({ buffer: new Uint8Array(bytes).buffer }).base32;
}

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
 * @returns the recovery codes, which cannot be displayed again.
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
    await storeRecoveryCodes(tx, user, codes);
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
    await storeRecoveryCodes(tx, user, codes);
    await record(tx);
    return true;
  });
  return isDone ? codes : undefined;
}

async function storeRecoveryCodes(tx: WriteTransaction, user: string, codes: readonly string[]): Promise<void> {
  await tx.secondFactors.putRecovery(
    user,
    codes.map((code) => recoveryCodeHash(user, code)),
  );
}
