import type { ReadTransaction } from '../store/store.ts';

/** What of an application is limited, each by a setting that an operator may overrule for one application. @source activity gaps 17.6 */
export const APPLICATION_LIMITS = ['subscriptions', 'stream_connections', 'stream_events_per_s', 'webhooks'] as const;
/** The name of a limit. */
export type ApplicationLimit = (typeof APPLICATION_LIMITS)[number];

/** Limits of single applications, as they are kept. */
export interface ApplicationLimits {
  /** The limits of an application that differ from the settings. */
  find(application: string): Promise<Partial<Record<ApplicationLimit, number>>>;
  /** Sets a limit, or with null goes back to the setting. */
  set(application: string, name: ApplicationLimit, value: number | null): Promise<void>;
}

/** What an application may have where nothing else was said of it. */
export function defaultLimits(settings: {
  readonly application_subscriptions_max: number;
  readonly application_stream_connections_max: number;
  readonly application_stream_events_per_s: number;
  readonly application_webhooks_max: number;
}): Readonly<Record<ApplicationLimit, number>> {
  return {
    subscriptions: settings.application_subscriptions_max,
    stream_connections: settings.application_stream_connections_max,
    stream_events_per_s: settings.application_stream_events_per_s,
    webhooks: settings.application_webhooks_max,
  };
}

/** What holds for an application: its own limit, or the setting. */
export async function limitOf(
  tx: ReadTransaction,
  usual: Readonly<Record<ApplicationLimit, number>>,
  application: string,
  name: ApplicationLimit,
): Promise<number> {
  return (await tx.applicationLimits.find(application))[name] ?? usual[name];
}
