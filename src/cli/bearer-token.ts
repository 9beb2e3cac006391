import { buildRequest, type ConnectionProfile } from './connection-profile.ts';
import { CommandFailed } from './failure.ts';
import { send } from './send.ts';

/** The bearer token of the application. @throws CommandFailed */
export async function fetchBearerToken(caller: ConnectionProfile): Promise<string> {
  const { consumer_key, consumer_secret } = caller.keys;
  const pair = Buffer.from(`${consumer_key}:${consumer_secret}`).toString('base64');
  const request = buildRequest('POST', '/oauth2/token', caller, { data: [['grant_type', 'client_credentials']] });
  const { status, body } = await send(request, `Basic ${pair}`, caller.tlsCa);
  if (status !== 200) throw new CommandFailed(`could not get a bearer token: ${status} ${body}`);
  return (JSON.parse(body) as { access_token: string }).access_token;
}
