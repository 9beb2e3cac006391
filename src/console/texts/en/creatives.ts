/** Words of creatives. */
export const creatives = {
  title: 'Creatives',
  about: 'Posts that your ads can show.',
  text: 'Text',
  since: 'Written',
  kind: 'Where it is seen',
  onlyAd: 'Only as an ad',
  everywhere: 'On the profile too',
  none: 'No posts yet',
  noneAbout: 'An ad shows a post. Write the first one below.',
  write: 'Write a post',
  textHint: 'Up to 280 characters; a link counts as 23.',
  name: 'Name',
  nameHint: 'Optional, for finding it again. Nobody else sees it.',
  create: 'Create the post',
  created: 'The post can be used in ads now.',
} as const;
