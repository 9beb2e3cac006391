import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import type { Random } from '../../../base/random.ts';
import { CODE_STEP_S, CODE_STEPS_OFF } from '../../../contract/store/second-factors.ts';

// Loaded with the first code.
let library: typeof import('otpauth') | undefined;

function otpauth(): typeof import('otpauth') {
  library ??= createRequire(import.meta.url)('otpauth') as typeof import('otpauth');
  return library;
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

/** New recovery codes, in the form that is shown. */
export function newRecoveryCodes(random: Random): readonly string[] {
  return Array.from({ length: RECOVERY_CODES }, () => groupsOfFour(base32(random.bytes(RECOVERY_BYTES)).toLowerCase()));
}

/** The hash under which a recovery code of a user is stored, independent of letter case and separators. */
export function recoveryCodeHash(user: string, code: string): string {
  const plain = code.toLowerCase().replace(/[^a-z2-7]/g, '');
  return createHash('sha256').update(`${user}\n${plain}`).digest('hex');
}

/** Text in groups of four, for people to read and type. */
export function groupsOfFour(text: string): string {
  return text.replace(/(.{4})(?=.)/g, '$1-');
}

function base32(bytes: Buffer): string {
  const { Secret } = otpauth();
  return new Secret({ buffer: new Uint8Array(bytes).buffer }).base32;
}
