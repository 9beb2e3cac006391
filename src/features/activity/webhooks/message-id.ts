import { eventUuid } from '../../../contract/store/events.ts';

/** The message id of an event for a subscription, also when it is replayed. @source activity gaps 21.5; decision 397 */
export function messageIdOf(position: number, subscription: string): string {
  return `msg_${eventUuid(position)}_${subscription}`;
}
