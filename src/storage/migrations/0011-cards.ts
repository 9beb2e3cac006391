import type { ColumnBuilder, Migration } from './schema-builder.ts';

const begin = (t: ColumnBuilder): ColumnBuilder =>
  t.text('account_id').key().text('id').key().text('name').text('name_folded').text('card_uri');

const end = (t: ColumnBuilder): ColumnBuilder => t.text('created_at').text('updated_at').integer('deleted');

const conversation = (t: ColumnBuilder): ColumnBuilder =>
  ['title', 'first_cta', 'second_cta', 'third_cta', 'fourth_cta']
    .reduce((columns, name) => columns.text(name).nullable(), t)
    .text('first_cta_post')
    .text('second_cta_post')
    .nullable()
    .text('third_cta_post')
    .nullable()
    .text('fourth_cta_post')
    .nullable()
    .text('thank_you_text')
    .text('thank_you_url')
    .nullable()
    .text('media_key')
    .text('unlocked_image_media_key')
    .nullable();

/** Cards of every format. */
export const cards: Migration = {
  name: '0011-cards',
  olderServers: 'stop',
  statements({ table, index, uniqueIndex }) {
    const ordered = (name: string): string[] => [
      index(`${name}_created`, name, ['account_id', 'created_at', 'id']),
      index(`${name}_updated`, name, ['account_id', 'updated_at', 'id']),
      index(`${name}_name`, name, ['account_id', 'name', 'id']),
      index(`${name}_search`, name, ['account_id', 'name_folded', 'id']),
      uniqueIndex(`${name}_uri`, name, ['account_id', 'card_uri']),
    ];
    return [
      table('cards', (t) => end(begin(t).text('card_type').text('components').nullable().text('slides').nullable())),
      ...ordered('cards'),
      table('poll_cards', (t) =>
        end(
          begin(t)
            .text('card_type')
            .text('first_choice')
            .text('second_choice')
            .text('third_choice')
            .nullable()
            .text('fourth_choice')
            .nullable()
            .integer('duration_in_minutes')
            .text('media_key')
            .nullable(),
        ),
      ),
      ...ordered('poll_cards'),
      table('video_conversation_cards', (t) =>
        end(conversation(begin(t)).text('poster_media_key').nullable().text('unlocked_video_media_key').nullable()),
      ),
      ...ordered('video_conversation_cards'),
      table('image_conversation_cards', (t) => end(conversation(begin(t)))),
      ...ordered('image_conversation_cards'),
    ];
  },
};
