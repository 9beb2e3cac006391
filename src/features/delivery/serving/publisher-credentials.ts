import { hash } from 'node:crypto';
import { alphanumeric, type Random } from '../../../base/random.ts';
import { codePointLength, isLegalText } from '../../../base/text.ts';
import type {
  IssuedPublisher,
  NewPublisher,
  Publisher,
  PublisherRegistrar,
} from '../../../contract/store/publishers.ts';
import type { WriteTransaction } from '../../../storage/unit-of-work.ts';

/** Maximum length of a publisher's name. */
const NAME_MAX = 80;
/** Prefix of all credentials, so that secret scanners can detect leaked ones. */
const PREFIX = 'pub_';
const SECRET_LENGTH = 43;

/** Returns an error if a publisher cannot have this name. */
export function publisherNameError(name: string): string | undefined {
  const isFit = name !== '' && codePointLength(name) <= NAME_MAX && isLegalText(name);
  return isFit ? undefined : `a name has 1 to ${NAME_MAX} characters`;
}

/** Hashes a credential for look-up; unsalted SHA-256 suffices for random values. */
export function credentialDigest(credential: string): string {
  return hash('sha256', credential, 'hex');
}

/** Registers a publisher. @source decision 975 */
export async function createPublisher(
  { tx, random, now }: PublisherRegistrar,
  { environment, name, owner_user_id, may_explain }: NewPublisher,
): Promise<IssuedPublisher> {
  const credential = createCredential(random);
  const publisher: Publisher = {
    id: String(await tx.takeNumbers('publisher', 1, 1)),
    environment,
    name,
    owner_user_id,
    secret_digest: credentialDigest(credential),
    may_explain: may_explain ? 1 : 0,
    created_at: now,
    rotated_at: null,
    disabled_at: null,
  };
  await tx.publishers.add(publisher);
  return { publisher, credential };
}

/** Replaces the credential of a publisher; the old one stops working at once. */
export async function rotatePublisher(
  { tx, random, now }: PublisherRegistrar,
  { id }: Pick<Publisher, 'id'>,
): Promise<string> {
  const credential = createCredential(random);
  await tx.publishers.change(id, { secret_digest: credentialDigest(credential), rotated_at: now });
  tx.invalidate(`publisher:${id}`);
  return credential;
}

/** Disables or enables a publisher. */
export async function disablePublisher(
  tx: WriteTransaction,
  { id }: Pick<Publisher, 'id'>,
  disabled_at: string | null,
): Promise<void> {
  await tx.publishers.change(id, { disabled_at });
  tx.invalidate(`publisher:${id}`);
}

function createCredential(random: Random): string {
  return PREFIX + alphanumeric(random, SECRET_LENGTH);
}
