import { hash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { formatInstant, instantMs } from '../../base/instants.ts';
import type { Random } from '../../base/random.ts';
import { type SecretBox, secretBox, tryOpen } from '../../base/secret-box.ts';
import { pause } from '../../base/timers.ts';
import type { SubmittedForm } from '../../contract/declare/pages.ts';
import type { RenderedPage, SentForms } from '../../contract/services/sent-forms.ts';
import type { SentForm } from '../../contract/store/logins.ts';
import type { Store } from '../../storage/unit-of-work.ts';

/** How long a repeated form waits for the answer to the first, and how often it polls. */
const [WAIT_MS, POLLS_MAX] = [10_000, 100];
/** How long the answer is repeated to a browser whose session it has changed. */
const CHANGED_MS = 60_000;
/** Larger answers are not kept: a repeated form gets an error page. */
const TEXT_MAX = 262_144;

/** An answer, and the browser that got it first. */
interface Answer {
  readonly page: RenderedPage;
  readonly browser: string;
}

const KEY = 'key of a form';

/** Keeps forms in the store, sealed with keys that only their senders have. `clock` is the wall clock. */
export function sentForms(deps: { store: Store; clock: Clock; random: Random; box: SecretBox }): SentForms {
  const { store, clock, random, box } = deps;

  const seal = (of: readonly unknown[], content: unknown): string =>
    boxOf(of, random).seal(JSON.stringify(content), '');
  const row = (of: readonly unknown[], answer: string | null): SentForm => ({
    id_hash: digest('id', of).toString('hex'),
    sent_at: formatInstant(clock.now()),
    answer,
  });
  const open = (of: readonly unknown[], sealed: string) => JSON.parse(boxOf(of, random).open(sealed, ''));
  const age_ms = ({ sent_at }: SentForm): number => clock.now() - instantMs(sent_at);

  /** Waits for the answer of a form that was sent before; returns its row, without an answer if that takes too long. */
  async function answered(id: string): Promise<SentForm | undefined> {
    for (let polls = 1; ; polls += 1) {
      const found = await store.read((tx) => tx.sentForms.find(id));
      if (!found || found.answer !== null || polls > POLLS_MAX || age_ms(found) > WAIT_MS) return found;
      await pause(WAIT_MS / POLLS_MAX);
    }
  }

  return {
    keyFor: (user, token) => box.seal(`${user} ${shortDigest(token)}`, KEY),
    originOf(key, token) {
      const [user, session] = tryOpen(box, key, KEY)?.split(' ') ?? [];
      return user === undefined ? undefined : { user, isOfToken: session === shortDigest(token) };
    },
    async once(form, cookie, perform) {
      const of = partsOf(form);
      const claim = row(of, null);
      // The first one may be refused while others wait for it: then the next one is processed.
      while (!(await store.write((tx) => tx.sentForms.add(claim)))) {
        const found = await answered(claim.id_hash);
        if (found?.answer) {
          const { page, browser }: Answer = open(of, found.answer);
          return browser === shortDigest(cookie) ? page : { ...page, cookies: [] };
        }
        if (found) return undefined;
      }
      const { page, isDone } = await perform().catch(async (error) => {
        // The outcome is unknown; the error is reported even if that cannot be stored.
        await store.write((tx) => tx.sentForms.answer(claim.id_hash, '')).catch(() => undefined);
        throw error;
      });
      const answer: Answer = { page, browser: shortDigest(cookie) };
      const sealed = isDone && page.text.length <= TEXT_MAX ? seal(of, answer) : '';
      await store.write(({ sentForms: sent }) =>
        isDone ? sent.answer(claim.id_hash, sealed) : sent.remove(claim.id_hash),
      );
      return page;
    },
    async repeated(form, cookie) {
      const of = partsOf(form);
      const found = await answered(row(of, null).id_hash);
      if (!found?.answer || age_ms(found) > CHANGED_MS) return undefined;
      const { page, browser }: Answer = open(of, found.answer);
      return browser === shortDigest(cookie) ? page : undefined;
    },
    async keep(form) {
      const secret = random.bytes(32).toString('base64url');
      await store.write((tx) => tx.sentForms.add(row([secret], seal([secret], form))));
      return secret;
    },
    async unsent(secret) {
      const found = await store.read((tx) => tx.sentForms.find(row([secret], null).id_hash));
      return found?.answer ? open([secret], found.answer) : undefined;
    },
  };
}

const partsOf = ({ key, address, members }: SubmittedForm): readonly unknown[] => [key, address, members];

const shortDigest = (text: string): string => digest('session', [text]).toString('base64url').slice(0, 22);

/** A box whose key is derived from the form itself. */
function boxOf(of: readonly unknown[], random: Random): SecretBox {
  return secretBox({ currentKeyId: 'form', keys: { form: digest('box', of) }, random: (count) => random.bytes(count) });
}

function digest(purpose: string, of: readonly unknown[]): Buffer {
  return hash('sha256', JSON.stringify([purpose, ...of]), 'buffer');
}
