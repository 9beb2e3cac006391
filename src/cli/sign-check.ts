import type { Command } from 'commander';
import { systemClock } from '../base/clock.ts';
import { LEVEL_APPLICATIONS, LEVELS } from '../dev/demo-application.ts';
import { type DevFile, readDevFile } from '../dev/dev-folder.ts';
import type { Explanation } from '../dev/signatures/explain.ts';
import type { KnownApplication } from '../dev/signatures/known-keys.ts';
import { type ConnectionProfile, profileFrom } from './connection-profile.ts';
import { CommandFailed } from './failure.ts';
import { escapeControls, print } from './output.ts';

/** How far timestamps may be from the time of a server, unless it is set up otherwise. */
const WINDOW_S = 300;

/**
 * Says whether a curl command is signed right, without a server; `-` reads the command from stdin.
 * @throws CommandFailed when it is not.
 */
export async function checkCommand(command: Command, curl: string): Promise<void> {
  const { parseCurl } = await import('../dev/signatures/curl.ts');
  const { describedRequest, neededBy } = await import('../dev/signatures/described-request.ts');
  const { explain } = await import('../dev/signatures/explain.ts');
  const caller = profileFrom(command);
  const file = readDevFile(command.opts<{ data: string }>().data);
  const origins = [caller.origin, file?.base_url, file?.sandbox_url].filter((each) => each !== undefined);
  const text = curl === '-' ? await allOf(process.stdin) : curl;
  const sent = describedRequest(parseCurl(text), [...new Set(origins)]);
  const rules = { now_s: Math.floor(systemClock.now() / 1000), window_s: WINDOW_S };
  const explanation = explain(sent, knownKeys(caller, file), { ...rules, needed: neededBy(sent) });
  print(escapeControls(report(explanation)));
  if (explanation.outcome !== 'right') throw new CommandFailed(explanation.summary);
}

async function allOf(input: NodeJS.ReadStream): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of input.setEncoding('utf8')) pieces.push(piece as string);
  return pieces.join('');
}

/** The keys of the demo world, or those that were given. */
function knownKeys({ keys }: ConnectionProfile, file: DevFile | undefined): KnownApplication[] {
  const demo = file === undefined ? [] : demoKeys(file);
  if (demo.some(({ consumerKey }) => consumerKey === keys.consumer_key)) return demo;
  const { access_token: token, access_token_secret: tokenSecret } = keys;
  return [
    {
      ...{ name: 'the application', consumerKey: keys.consumer_key, consumerSecret: keys.consumer_secret },
      tokens: token === '' ? [] : [{ name: 'the user', token, tokenSecret }],
    },
  ];
}

function demoKeys(file: DevFile): KnownApplication[] {
  const { username, other_username: other } = file;
  const demo: KnownApplication = {
    ...{ name: 'the demo application', consumerKey: file.consumer_key, consumerSecret: file.consumer_secret },
    tokens: [
      { name: username, token: file.access_token, tokenSecret: file.access_token_secret },
      { name: other, token: file.other_access_token, tokenSecret: file.other_access_token_secret },
    ],
  };
  // A file that was written by an earlier release lacks some.
  const others = LEVELS.filter((which) => file[`${which}_consumer_key`] !== undefined).map(
    (which): KnownApplication => ({
      name: LEVEL_APPLICATIONS[which].whatFor,
      ...{ consumerKey: file[`${which}_consumer_key`], consumerSecret: file[`${which}_consumer_secret`] },
      tokens: [
        {
          name: username,
          ...{ token: file[`${which}_access_token`], tokenSecret: file[`${which}_access_token_secret`] },
        },
        {
          name: other,
          ...{ token: file[`${which}_other_access_token`], tokenSecret: file[`${which}_other_access_token_secret`] },
        },
      ],
    }),
  );
  return [demo, ...others];
}

/** The explanation as text: what is wrong, and from what the signature should have been made. */
function report({ outcome, summary, mistakes, expected, signed, firstDifference }: Explanation): string {
  const parts: (readonly [name: string, value: string | undefined])[] = [
    [outcome === 'right' ? 'Right' : 'Wrong', outcome === 'right' || mistakes.length === 0 ? summary : undefined],
    ['Parameter string', expected?.parameterString],
    ['Base string', expected?.baseString],
    ['Base string as it was signed', signed?.baseString],
    ['First difference', firstDifference && `${firstDifference.expected}\n${firstDifference.signed}`],
  ];
  const found = mistakes.map(({ name, text, remedy }) => `${name}:\n${text} ${remedy}\n`);
  const rest = parts.filter(([, value]) => value !== undefined).map(([name, value]) => `${name}:\n${value}\n`);
  return [...found, ...rest].join('\n');
}
