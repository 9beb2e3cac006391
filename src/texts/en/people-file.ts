/** Words of the upload of people: `src/console/islands/texts.ts` says how values stand in them. */
export const peopleFile = {
  file: 'File with people',
  fileHint:
    'A CSV file in UTF-8 with column names in the first line. It is read in your browser: everything but your own ids is hashed before it is sent.',
  columns: 'What the columns contain',
  unused: 'Not used',
  kinds: {
    email: 'E-mail addresses',
    phone_number: 'Phone numbers with country code',
    handle: 'Screen names',
    service_user_id: 'User ids',
    device_id: 'Device ids',
    partner_user_id: 'Your own ids, sent as they are',
  },
  what: 'What to do with these people',
  types: { Update: 'Add them to the audience', Delete: 'Remove them from the audience' },
  begin: 'Hash and upload',
  goOn: 'Continue',
  stop: 'Pause',
  progress: 'Upload progress',
  states: {
    sending: '{people} {people:person|people} uploaded so far.',
    done: '{people} {people:person was|people were} uploaded.',
    stopped: 'Paused after {people} {people:person|people}.',
    'signed out':
      'You were logged out after {people} {people:person|people}. Log in again in another tab, then continue here.',
    waiting:
      'No connection, or the service is busy. Trying again in {seconds} {seconds:second|seconds}; {people} {people:person|people} uploaded so far.',
  },
  skipped: '{skipped} {skipped:row was|rows were} skipped: no valid identifier.',
  refused: 'The upload was refused. {why}',
  signIn: 'Log in',
  stillSignedOut: 'You are not logged in yet',
  matching: 'The people are being matched with those who are known here …',
  matched: 'Done: {size} {size:person|people} of this audience {size:is|are} known here.',
  tooFew: 'Done, but too few of these people are known here for ads to be shown to them.',
  empty: 'The file is empty',
  noColumn: 'Choose what at least one column contains',
  notCsv: 'This is not a CSV file: {why}',
  notText: 'The file cannot be read as UTF-8 text. Save it as “CSV UTF-8” and choose it again.',
} as const;
