/** Words of custom audiences. */
export const audiences = {
  title: 'Audiences',
  about: 'Groups of people whom ads can be shown to, or kept from.',
  name: 'Name',
  description: 'What it is for',
  size: 'People found here',
  state: 'State',
  small: 'Too few to be used',
  ready: 'Ready',
  waiting: 'Empty, or not ready yet',
  none: 'No audiences yet',
  noneAbout: 'A custom audience is a list of your customers. Their identifiers are sent as hashes, never as they are.',
  create: 'Create an audience',
  upload: 'Fill it from a terminal',
  uploadAbout: 'Identifiers are normalised and hashed on your machine before they are sent:',
} as const;
