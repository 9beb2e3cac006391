import { texts } from '../../texts/texts.ts';
import { devFilePath, readDevFile } from '../dev-folder.ts';

const words = texts.tools.identities;

/** The logins and the keys of the first application in `dev.json`, by what they are; those that it lacks are left out. */
export function identityRows(dataFolder: string): readonly (readonly [name: string, value: string])[] {
  // Members of what was revoked or changed are missing.
  const file = { ...readDevFile(dataFolder) } as Readonly<Record<string, string | undefined>>;
  const login = (user: '' | 'other_'): string | undefined =>
    file[`${user}password`] && words.login(file[`${user}username`] ?? '', file[`${user}password`]!);
  const rows = [
    [words.user, login('')],
    [words.other, login('other_')],
    [words.key, file.consumer_key],
    [words.secret, file.consumer_secret],
    [words.token, file.access_token],
    [words.tokenSecret, file.access_token_secret],
    [words.file, devFilePath(dataFolder)],
  ] as const;
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}
