import { jsonText } from '../../base/text.ts';
import { eventUuid, type LoggedEvent, type MatchedEvent } from '../../contract/store/events.ts';
import type { Subscription } from '../../storage/tables/subscriptions.ts';

/** Options of envelopes. */
export interface EnvelopeStyle {
  /** Adds `subscription_id`, which the reference does not have. @source activity 16.2 */
  readonly withSubscriptionId: boolean;
  /** Adds `meta.replay`. */
  readonly isReplay: boolean;
  /** Translates it into the alias vocabulary. */
  readonly translate: ((envelope: string) => string) | undefined;
}

const LINE_END = 2;

/** An event for one subscription. Serialized lazily, once: most are sent several times, some never. */
export class EventDelivery implements MatchedEvent {
  readonly event: LoggedEvent;
  readonly subscription: Subscription;
  readonly #style: EnvelopeStyle;
  #line: Buffer | undefined;

  constructor(event: LoggedEvent, subscription: Subscription, style: EnvelopeStyle) {
    this.event = event;
    this.subscription = subscription;
    this.#style = style;
  }

  get line(): Buffer {
    this.#line ??= this.#serialize();
    return this.#line;
  }

  get body(): Buffer {
    return this.line.subarray(0, -LINE_END);
  }

  #serialize(): Buffer {
    const { translate } = this.#style;
    const text = envelopeText(this.event, this.subscription, this.#style);
    return Buffer.from(`${translate ? translate(text) : text}\r\n`);
  }
}

/**
 * The envelope of an event; streams and webhooks send the same bytes.
 * @source activity 16.2
 */
function envelopeText(event: LoggedEvent, subscription: Subscription, style: EnvelopeStyle): string {
  const tag = subscription.tag === null ? '' : `,"tag":${jsonText(subscription.tag)}`;
  const id = style.withSubscriptionId ? `,"subscription_id":"${subscription.id}"` : '';
  const meta = style.isReplay ? ',"meta":{"replay":true}' : '';
  return `{"data":{"event_uuid":"${eventUuid(event.position)}","event_type":"${event.event_type}","filter":${subscription.filter}${tag}${id},"payload":${event.payload}}${meta}}`;
}
