import { type Barker, start } from '@barker-ads/server/testing';

export async function reference(): Promise<string> {
  const barker: Barker = await start();
  const { text } = await barker.call('GET', '/12/accounts');
  await barker.close();
  return text;
}
