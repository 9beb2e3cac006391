import type { Command } from 'commander';
import { systemClock } from '../base/clock.ts';
import { instantMs, parseInstant } from '../base/instants.ts';
import { type DevFile, readDevFile } from '../dev/dev-folder.ts';
import { devApplications } from '../dev/dev-keys.ts';
import type { Explanation } from '../dev/signatures/explain.ts';
import type { KnownApplication } from '../dev/signatures/known-keys.ts';
import { type ConnectionProfile, profileFrom } from './connection-profile.ts';
import { CommandFailed, UsageError } from './failure.ts';
import { escapeControls, print } from './output.ts';

/** How far timestamps may be from the time of a server, unless it is set up otherwise. */
const WINDOW_S = 300;

/**
 * Says whether a curl command is signed right, without a server; `-` reads the command from stdin.
 * @param at when it was sent, as text; now unless given.
 * @throws CommandFailed when it is not.
 */
export async function checkCommand(command: Command, curl: string, at: string | undefined): Promise<void> {
  const { parseCurl } = await import('../dev/signatures/described-request.ts');
  const { describedRequest, neededBy } = await import('../dev/signatures/described-request.ts');
  const { explain } = await import('../dev/signatures/explain.ts');
  const caller = profileFrom(command);
  const file = readDevFile(command.opts<{ data: string }>().data);
  const origins = [caller.origin, file?.base_url, file?.sandbox_url].filter((each) => each !== undefined);
  const text = curl === '-' ? await allOf(process.stdin) : curl;
  const sent = describedRequest(parseCurl(text), [...new Set(origins)]);
  const rules = {
    now_s: Math.floor((at === undefined ? systemClock.now() : instantOf(at)) / 1000),
    window_s: WINDOW_S,
  };
  const explanation = explain(sent, knownKeys(caller, file), { ...rules, needed: neededBy(sent) });
  print(escapeControls(report(explanation)));
  if (explanation.outcome !== 'right') throw new CommandFailed(explanation.summary);
}

/** @throws CommandFailed */
function instantOf(text: string): number {
  const instant = parseInstant(text);
  if (instant === undefined) throw new UsageError('--at takes a time such as 2026-03-02T17:04:55Z');
  return instantMs(instant);
}

async function allOf(input: NodeJS.ReadStream): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of input.setEncoding('utf8')) pieces.push(piece as string);
  return pieces.join('');
}

/** The keys of the demo world, or those of the options. */
function knownKeys({ keys }: ConnectionProfile, file: DevFile | undefined): KnownApplication[] {
  const demo = file === undefined ? [] : devApplications(file);
  if (demo.some(({ consumerKey }) => consumerKey === keys.consumer_key)) return demo;
  const { access_token: token, access_token_secret: tokenSecret } = keys;
  return [
    {
      name: 'the application',
      consumerKey: keys.consumer_key,
      consumerSecret: keys.consumer_secret,
      tokens: token === '' ? [] : [{ name: 'the user', token, tokenSecret }],
    },
  ];
}

/** The explanation as text: mistakes, and the expected base string. */
function report({ outcome, summary, mistakes, expected, signed, firstDifference }: Explanation): string {
  const parts: (readonly [name: string, value: string | undefined])[] = [
    [outcome === 'right' ? 'Valid' : 'Wrong', outcome === 'right' || mistakes.length === 0 ? summary : undefined],
    ['Parameter string', expected?.parameterString],
    ['Base string', expected?.baseString],
    ['Base string as it was signed', signed?.baseString],
    ['First difference', firstDifference && `${firstDifference.expected}\n${firstDifference.signed}`],
  ];
  const found = mistakes.map(({ name, text, remedy }) => `${name}:\n${text} ${remedy}\n`);
  const rest = parts.filter(([, value]) => value !== undefined).map(([name, value]) => `${name}:\n${value}\n`);
  return [...found, ...rest].join('\n');
}
