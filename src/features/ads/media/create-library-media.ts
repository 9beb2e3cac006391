import { Type } from '../../../base/json-schema.ts';
import { digits, type Field, field, isErrorDetail, oneOf } from '../../../contract/declare/fields.ts';
import { type AccountCall, type AccountOperation, serializeContext } from '../../../contract/declare/operation.ts';
import type { Row } from '../../../contract/declare/resource.ts';
import { CREATIVE_WRITERS } from '../../../contract/declare/roles.ts';
import { blankName } from '../../../contract/declare/rules.ts';
import { Problem, problem } from '../../../contract/problems/problems.ts';
import { MEDIA_CATEGORIES, type MediaCategory, mediaKeyOf, parseMediaKey } from '../../../contract/services/media.ts';
import type { WriteTransaction } from '../../../storage/unit-of-work.ts';
import { accountMedia } from '../account-media.ts';
import { mediaLibrary } from '../media-library.ts';
import { findAdvertiserUserId } from '../promotable-users.ts';
import { addToLibrary } from './add-to-library.ts';
import { libraryRows } from './library-rows.ts';
import { checkLibraryValues, type LibraryValues } from './library-values.ts';
import { mediaKey } from './media-key.ts';
import { findUsableMedia, type MediaDetails, mediaNotFound } from './usable-media.ts';

const { name, file_name, title, description, poster_media_key } = libraryRows.fields;
const VALUES = { name, file_name, title, description, poster_media_key };

/**
 * Adds uploaded media to the library of an account, or updates the values of media already in it.
 * @source creatives 3; decision 203
 */
export const createLibraryMedia: AccountOperation = {
  id: 'media_library.create',
  method: 'POST',
  path: '/12/accounts/:account_id/media_library',
  description: 'Add uploaded media to the library, or update the values of media already in it.',
  group: 'media_library',
  family: 'ads',
  roles: CREATIVE_WRITERS,
  rate: 'writes',
  parameters: {
    media_key: keyOrNumber()
      .required()
      .describe('Media key of the upload, or its numeric id together with `media_category`.'),
    media_category: oneOf(...(Object.keys(MEDIA_CATEGORIES) as MediaCategory[])).describe(
      'Category of the upload; required with a numeric id.',
    ),
    ...VALUES,
  },
  body: 'form',
  shape: 'one',
  reply: { rowOfOne: [mediaLibrary] },
  problems: ['TEXT_EMPTY', 'INVALID_MEDIA', 'MEDIA_NOT_TRANSCODED', 'MEDIA_OF_OTHER_TYPE', 'NOT_OF_IMAGES'],
  validate: ({ media_key, media_category, name }) => [
    ...(typeof media_key === 'string' && !parseMediaKey(media_key) && media_category == null
      ? [{ problem: 'MISSING_PARAMETER', parameter: 'media_category' } as const]
      : []),
    ...blankName(name),
  ],
  async perform(call) {
    const { store, rowFactory } = call.services;
    const [ids] = await rowFactory.takeIds(accountMedia, 1);
    return store.write(async (tx) => {
      await tx.records.lockAccount(call.account.id);
      const media = await findAddable(tx, call);
      const values: LibraryValues = Object.fromEntries(Object.entries(call.input).filter(([name]) => name in VALUES));
      const mediaContext = { tx, media: call.services.media.addresses, account: call.account };
      const errors = await checkLibraryValues(mediaContext, media, values);
      if (errors.length > 0) throw new Problem(errors);
      const row = await addToLibrary(tx, { rowFactory, actor: call }, media, values, ids!);
      const [data] = await call.services.serializeRows(mediaLibrary, [row as Row], serializeContext(call, tx));
      return { data: data! };
    });
  },
};

/**
 * Finds the requested media, which may still be processing.
 * @throws INVALID_MEDIA, MEDIA_NOT_TRANSCODED
 * @source decision 202 and 203
 */
async function findAddable(
  tx: WriteTransaction,
  { input, account, services, principal }: AccountCall,
): Promise<MediaDetails> {
  const requested = String(input.media_key);
  const category = input.media_category as MediaCategory | null | undefined;
  const key = parseMediaKey(requested) ? requested : mediaKeyOf(category!, requested);
  const parsed = parseMediaKey(key)!;
  const owners = [principal.user, await findAdvertiserUserId(tx, account.id)];
  const media = (await findUsableMedia({ tx, media: services.media.addresses, account }, [key], { owners })).get(key);
  const isOther = category != null && category !== parsed.category;
  if (!media || media.isFrame || isOther || media.state === 'uploading') {
    throw new Problem([mediaNotFound('media_key', requested, parsed)]);
  }
  if (media.state === 'failed') throw problem('MEDIA_NOT_TRANSCODED', { parameter: 'media_key', value: requested });
  return media;
}

/** A media key, or the numeric id of an upload. */
function keyOrNumber(): Field<string> {
  const { kind } = mediaKey();
  return field<string>({
    ...kind,
    schema: Type.String({ pattern: '^((3|7|13|16)_)?[0-9]{1,19}$' }),
    read(raw, parameter) {
      const number = digits({ max: 19 }).kind.read(raw, parameter);
      return isErrorDetail(number) ? kind.read(raw, parameter) : number;
    },
  });
}
