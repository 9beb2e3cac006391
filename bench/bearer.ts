import { type LoadPlan, load } from './rig/load.ts';
import { interleaved, printRates, printRatio, ratio } from './rig/report.ts';
import { startBarker, startProvider } from './rig/target.ts';

/** `oauth2/token` against the client-credentials endpoint of a well-known provider library, both asked alike. */
export async function run(): Promise<void> {
  const barker = await startBarker();
  const { consumer_key, consumer_secret, base_url } = barker.file;
  const provider = await startProvider(consumer_key, consumer_secret);
  const plan: Omit<LoadPlan, 'origin' | 'paths'> = {
    method: 'POST',
    authorization: `Basic ${Buffer.from(`${consumer_key}:${consumer_secret}`).toString('base64')}`,
    form: [['grant_type', 'client_credentials']],
    requests: 60_000,
    connections: 32,
    seconds: 3,
  };
  const results = await interleaved(5, {
    barker: async () => (await load({ ...plan, origin: base_url, paths: ['/oauth2/token'] })).perSecond,
    'oidc-provider': async () => (await load({ ...plan, origin: provider.origin, paths: ['/token'] })).perSecond,
  });
  printRates('a bearer token for key and secret, 32 connections', results);
  printRatio('barker / oidc-provider', ratio(results.barker, results['oidc-provider']), 'at least 2, aim 3');
  await Promise.all([barker.close(), provider.close()]);
}
