import type { ReadTransaction } from '../../storage/unit-of-work.ts';

/**
 * The limits of applications. Each is a setting that an operator may override for one application.
 * @source activity 17.6
 */
export const APPLICATION_LIMITS = ['subscriptions', 'stream_connections', 'stream_events_per_s', 'webhooks'] as const;
/** The name of a limit. */
export type ApplicationLimit = (typeof APPLICATION_LIMITS)[number];

/** The limits of applications without overrides. */
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

/** The effective limit of an application: its override, or the setting. */
export async function limitOf(
  tx: ReadTransaction,
  usual: Readonly<Record<ApplicationLimit, number>>,
  application: string,
  name: ApplicationLimit,
): Promise<number> {
  return (await tx.applicationLimits.find(application))[name] ?? usual[name];
}
