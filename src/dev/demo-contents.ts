import type { RawValue } from '../contract/declare/fields.ts';

const website = (path: string) => ({ type: 'WEBSITE', url: `https://bakery.example/${path}` });
const leadsTo = (title: string, path: string) => ({ type: 'DETAILS', title, destination: website(path) });
const opensApp = {
  type: 'BUTTON',
  label: { type: 'ENUM', value: 'ORDER' },
  destination: { type: 'APP', country_code: 'US', android_store_app_id: 'example.bakery.orders' },
};
const shows = (media: string) => ({ type: 'MEDIA', media });
const swipes = (...media: string[]) => ({ type: 'SWIPEABLE_MEDIA', media });
const slide = (media: string, title: string, path: string) => [shows(media), leadsTo(title, path)];

const promotesPosts = { product_type: 'PROMOTED_POSTS', placements: ['ALL_ON_SERVICE'] };
const IN_THE_COUNTRY = { targeting_type: 'LOCATION', targeting_value: '96683cc9126741d1' };

/** A card of each type; polls and conversation cards are below. */
const CARDS = {
  order: { name: 'Order a cake', components: [shows('cake'), leadsTo('Order by Wednesday', 'cakes')] },
  app: { name: 'Order in the app', components: [shows('loaf'), opensApp] },
  shelf: { name: 'On the shelf', components: [swipes('loaf', 'rolls'), leadsTo('Baked this morning', 'bread')] },
  basket: { name: 'A basket in the app', components: [swipes('loaf', 'rolls'), opensApp] },
  menu: { name: 'Menu', slides: [slide('loaf', 'Rye sourdough', 'bread/rye'), slide('rolls', 'Rolls', 'bread/rolls')] },
  oven: { name: 'From the oven', components: [shows('oven'), leadsTo('See how we bake', 'bakery')] },
  live: { name: 'Pick up warm', components: [shows('oven'), opensApp] },
  night: { name: 'A night in the bakery', components: [swipes('oven', 'dough'), leadsTo('Come and see', 'bakery')] },
  morning: { name: 'A morning in the bakery', components: [swipes('dough', 'oven'), opensApp] },
  steps: { name: 'Two steps', slides: [slide('dough', 'It rises', 'dough'), slide('oven', 'It bakes', 'oven')] },
  course: {
    name: 'Course',
    slides: [slide('dough', 'Learn to knead', 'course'), slide('loaf', 'Take it home', 'bread')],
  },
  before: { name: 'Before and after', components: [swipes('dough', 'loaf'), leadsTo('Bread for beginners', 'course')] },
  after: { name: 'Before and after, in the app', components: [swipes('dough', 'rolls'), opensApp] },
};

/** Pictures and videos of the bakery. */
const MEDIA = {
  loaf: { file: 'loaf.png', name: 'Loaf', file_name: 'loaf.png' },
  rolls: { file: 'rolls.png', name: 'Rolls', file_name: 'rolls.png' },
  cake: { file: 'cake.png', name: 'Cake', file_name: 'cake.png' },
  sign: { file: 'sign.png', name: 'Sign', file_name: 'sign.png' },
  oven: { file: 'oven.mp4', name: 'Oven', file_name: 'oven.mp4', title: 'From the oven' },
  dough: { file: 'dough.mp4', name: 'Dough', file_name: 'dough.mp4', title: 'It rises' },
};

/** Polls without media, with a picture, and with a video. */
const POLL_CARDS = {
  spring: {
    name: 'Next cake',
    duration_in_minutes: 10_080,
    first_choice: 'Cardamom buns',
    second_choice: 'Lemon tart',
    third_choice: 'Rhubarb crumble',
  },
  crust: {
    name: 'Crust',
    duration_in_minutes: 4320,
    media: 'loaf',
    first_choice: 'Dark',
    second_choice: 'Golden',
  },
  kneading: {
    name: 'Kneading',
    duration_in_minutes: 4320,
    media: 'oven',
    first_choice: 'By hand',
    second_choice: 'By machine',
  },
};

/** Published posts. */
const POSTS = {
  opening: {
    name: 'Opening hours',
    text: 'We open at seven, and the first loaves are still warm. Come by before the school run.',
    nullcast: false,
  },
  rye: {
    name: 'Rye',
    text: 'Rye sourdough is back on Thursdays. It takes us two days, and you about ten minutes.',
    media: ['loaf'],
  },
  cake: { name: 'Cakes', text: 'Birthday coming up? Order by Wednesday, pick it up on Saturday.', card: 'order' },
  shelf: { name: 'On the shelf', text: 'Everything on this shelf was flour last night.', card: 'shelf' },
  vote: { name: 'Vote', text: 'One new cake, three ideas. You choose what we bake next.', card: 'spring' },
  oven: { name: 'Oven', text: 'Three seconds that smell of bread.', card: 'oven' },
  app: { name: 'App', text: 'Order on the way and skip the queue.', card: 'app' },
  course: {
    name: 'Course',
    text: 'Bread for beginners: three hours, flour everywhere, and your own starter to take home. Four places are left.',
    card: 'course',
  },
};

/** Campaigns of each objective: running, paused, ended and draft ones. */
const CAMPAIGNS = {
  mornings: {
    name: 'Mornings in the neighbourhood',
    funding: 'card',
    daily_budget_amount_local_micro: 6_000_000,
    total_budget_amount_local_micro: 250_000_000,
    line_items: {
      commuters: {
        name: 'Commuters',
        objective: 'ENGAGEMENTS',
        ...promotesPosts,
        bid_strategy: 'MAX',
        bid_amount_local_micro: 1_200_000,
        end_time: '+P42D',
        targeting: [IN_THE_COUNTRY, { targeting_type: 'AGE', targeting_value: 'AGE_25_TO_49' }],
        promoted_posts: ['opening', 'rye'],
        scheduled_promoted_posts: ['weekend'],
      },
      families: {
        name: 'Families',
        objective: 'ENGAGEMENTS',
        ...promotesPosts,
        entity_status: 'PAUSED',
        bid_strategy: 'MAX',
        bid_amount_local_micro: 900_000,
        targeting: [
          { targeting_type: 'INTEREST', targeting_value: '1001' },
          { targeting_type: 'BROAD_KEYWORD', targeting_value: 'birthday' },
          { targeting_type: 'BROAD_KEYWORD', targeting_value: 'cake' },
        ],
        promoted_posts: ['vote'],
      },
    },
  },
  cakes: {
    name: 'Cakes to order',
    funding: 'card',
    budget_optimization: 'LINE_ITEM',
    purchase_order_number: 'CAKES-7',
    line_items: {
      clicks: {
        name: 'Clicks to the order form',
        objective: 'WEBSITE_CLICKS',
        ...promotesPosts,
        bid_strategy: 'AUTO',
        daily_budget_amount_local_micro: 12_000_000,
        total_budget_amount_local_micro: 600_000_000,
        end_time: '+P42D',
        web_event_tag: 'orders',
        targeting: [{ targeting_type: 'AGE', targeting_value: 'AGE_25_TO_54' }],
        tracking_tags: [{ tracking_tag_type: 'CLICK_TRACKER', tracking_tag_url: 'https://tracking.example/cakes' }],
        promoted_posts: ['cake'],
      },
      visitors: {
        name: 'Visitors of the shop',
        objective: 'WEBSITE_CLICKS',
        ...promotesPosts,
        bid_strategy: 'MAX',

        bid_amount_local_micro: 5_000_000,
        daily_budget_amount_local_micro: 15_000_000,
        web_event_tag: 'visits',
        promoted_posts: ['shelf'],
      },
    },
  },
  film: {
    name: 'From the oven',
    funding: 'card',
    daily_budget_amount_local_micro: 4_000_000,
    line_items: {
      viewers: {
        name: 'Viewers',
        objective: 'VIDEO_VIEWS',
        ...promotesPosts,
        bid_strategy: 'AUTO',
        promoted_posts: ['oven'],
      },
    },
  },
  preroll: {
    name: 'In front of cheerful videos',
    funding: 'card',
    daily_budget_amount_local_micro: 3_000_000,
    line_items: {
      cheerful: {
        name: 'Viewers of cheerful videos',
        objective: 'PREROLL_VIEWS',
        product_type: 'MEDIA',
        bid_strategy: 'AUTO',
        placements: ['ALL_ON_SERVICE'],
        categories: ['IAB8-1'],
        targeting: [IN_THE_COUNTRY],
        curated_categories: [{ curated_category_id: '9ddk3gesia6l' }],
        preroll_call_to_actions: [{ call_to_action: 'VISIT_SITE', call_to_action_url: 'https://bakery.example/' }],
      },
    },
  },
  app: {
    name: 'The app',
    funding: 'card',
    daily_budget_amount_local_micro: 5_000_000,
    line_items: {
      installs: {
        name: 'Installs',
        objective: 'APP_INSTALLS',
        ...promotesPosts,
        bid_strategy: 'AUTO',
        android_store_identifier: 'example.bakery.orders',
        promoted_posts: ['app'],
      },
    },
  },
  opening: {
    name: 'Opening week',
    funding: 'card',
    total_budget_amount_local_micro: 60_000_000,
    line_items: {
      neighbours: {
        name: 'Neighbours',
        objective: 'REACH',
        ...promotesPosts,
        bid_strategy: 'TARGET',
        bid_amount_local_micro: 4_000_000,
        end_time: '+P9D',
        promoted_posts: ['opening'],
      },
    },
  },
  regulars: {
    name: 'More regulars',
    funding: 'card',
    entity_status: 'PAUSED',
    daily_budget_amount_local_micro: 5_000_000,
    line_items: {
      followers: {
        name: 'Followers',
        objective: 'FOLLOWERS',
        product_type: 'PROMOTED_ACCOUNT',
        bid_strategy: 'AUTO',
        placements: ['ALL_ON_SERVICE'],
        promoted_accounts: ['ada'],
      },
    },
  },
  course: {
    name: 'Bread for beginners',
    funding: 'card',
    entity_status: 'DRAFT',
    daily_budget_amount_local_micro: 8_000_000,
    line_items: {
      places: {
        name: 'The last places',
        objective: 'REACH',
        ...promotesPosts,
        bid_strategy: 'TARGET',
        bid_amount_local_micro: 4_000_000,
        promoted_posts: ['course'],
      },
    },
  },
};

/**
 * The account of the demo world, in the format of a world file. Its running campaigns deliver for three weeks after its
 * creation. `readers` are the e-mail addresses of the audience of newsletter readers.
 */
export const demoContents = (readers: readonly string[]): RawValue => ({
  name: 'Demo account',
  users: { ada: 'ACCOUNT_ADMIN', ben: 'CAMPAIGN_ANALYST' },
  funding: { card: { type: 'CREDIT_CARD', currency: 'USD' } },
  media: MEDIA,
  custom_audiences: {
    newsletter: {
      name: 'Newsletter readers',
      description: 'Signed up at the counter or on the site.',
      people: readers.map((email) => ({ email })),
    },
    suppliers: {
      name: 'Suppliers',
      description: 'Too few people to be targeted.',
      people: [{ email: 'mill@example.com' }, { email: 'dairy@example.com' }, { email: 'orchard@example.com' }],
    },
  },
  do_not_reach_lists: {
    asked: {
      description: 'Asked not to see ads.',
      people: [{ email: 'no.ads@example.com' }, { phone_number: '+14155550142' }],
    },
  },
  cards: CARDS,
  poll_cards: POLL_CARDS,
  image_conversation_cards: {
    bread: {
      name: 'Your bread',
      media: 'rolls',
      thank_you_text: 'See you at the counter',

      first_cta: '#Rye',
      first_cta_post: 'Rye, always. #Rye',
      second_cta: '#Rolls',
      second_cta_post: 'Warm #Rolls!',
    },
  },
  video_conversation_cards: {
    smell: {
      name: 'The smell',
      media: 'oven',
      title: 'What do you smell?',
      thank_you_text: 'Come by',
      first_cta: '#Fresh',
      first_cta_post: 'I can smell it from here. #Fresh',
    },
  },
  posts: POSTS,
  draft_posts: { holiday: { text: 'We are on holiday for a week. The starter stays with a neighbour.' } },
  scheduled_posts: {
    weekend: { text: 'This weekend: cinnamon rolls, while they last.', scheduled_at: '+P23D' },
  },
  web_event_tags: {
    orders: { name: 'Orders', type: 'PURCHASE', click_window: 30, view_through_window: 1, retargeting_enabled: false },
    visits: { name: 'Visits', type: 'SITE_VISIT', click_window: 7, view_through_window: 1, retargeting_enabled: false },
  },
  campaigns: CAMPAIGNS,
});

/** The poll that is still open when the demo starts, and its post. */
export const OPEN_POLL = {
  card: {
    name: 'Sundays',
    duration_in_minutes: 4320,
    first_choice: 'Yes, from eight',
    second_choice: 'Yes, from ten',
    third_choice: 'No, sleep in',
  },
  post: { name: 'Sundays', text: 'Should we open on Sundays?', nullcast: false },
} satisfies RawValue;
