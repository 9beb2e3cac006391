import { jsonText } from '../../base/text.ts';
import { type Delivery, eventUuid, type LoggedEvent } from '../../contract/store/events.ts';
import type { Subscription } from '../../contract/store/subscriptions.ts';

/** How envelopes are written. */
export interface EnvelopeStyle {
  /** Names the subscription, which the reference does not. @source activity gaps 16.2 */
  readonly withSubscriptionId: boolean;
  /** Says that the event is sent again. */
  readonly isReplay: boolean;
}

const LINE_END = 2;

/** What an event means to a subscription. Most are asked for several times, and some never: bytes are made when they are. */
export class EventDelivery implements Delivery {
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
    this.#line ??= Buffer.from(`${envelopeText(this.event, this.subscription, this.#style)}\r\n`);
    return this.#line;
  }

  get body(): Buffer {
    return this.line.subarray(0, -LINE_END);
  }
}

/**
 * The envelope of an event: the same bytes wherever it goes.
 * @source activity gaps 16.2
 */
function envelopeText(event: LoggedEvent, subscription: Subscription, style: EnvelopeStyle): string {
  const tag = subscription.tag === null ? '' : `,"tag":${jsonText(subscription.tag)}`;
  const id = style.withSubscriptionId ? `,"subscription_id":"${subscription.id}"` : '';
  const meta = style.isReplay ? ',"meta":{"replay":true}' : '';
  return `{"data":{"event_uuid":"${eventUuid(event.position)}","event_type":"${event.event_type}","filter":${subscription.filter}${tag}${id},"payload":${event.payload}}${meta}}`;
}
