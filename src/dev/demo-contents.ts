import type { RawValue } from '../contract/declare/fields.ts';

/** What is in the account of the demo world, as an account of a world file has it. */
export const DEMO_CONTENTS: RawValue = {
  name: 'Demo account',
  users: { ada: 'ACCOUNT_ADMIN', ben: 'CAMPAIGN_ANALYST' },
  funding: { card: { type: 'CREDIT_CARD', currency: 'USD' } },
  custom_audiences: {
    newsletter: { name: 'Newsletter readers', description: 'Signed up at the counter or on the site.' },
  },
  poll_cards: {
    spring: {
      ...{ name: 'Next cake', duration_in_minutes: 10_080 },
      ...{ first_choice: 'Cardamom buns', second_choice: 'Lemon tart', third_choice: 'Rhubarb crumble' },
    },
    sundays: {
      ...{ name: 'Sundays', duration_in_minutes: 4320 },
      ...{ first_choice: 'Yes, from eight', second_choice: 'Yes, from ten', third_choice: 'No, sleep in' },
    },
  },
  posts: {
    opening: {
      name: 'Opening hours',
      text: 'We open at seven, and the first loaves are still warm. Come by before the school run.',
      nullcast: false,
    },
    rye: {
      name: 'Rye',
      text: 'Rye sourdough is back on Thursdays. It takes us two days, and you about ten minutes.',
    },
    cake: {
      name: 'Cakes',
      text: 'Birthday coming up? Order by Wednesday, pick it up on Saturday: https://bakery.example/cakes',
    },
    vote: { name: 'Vote', text: 'One new cake, three ideas. You choose what we bake next.', card: 'spring' },
    sundays: { name: 'Sundays', text: 'Should we open on Sundays?', card: 'sundays', nullcast: false },
    course: {
      name: 'Course',
      text: 'Bread for beginners: three hours, flour everywhere, and your own starter to take home. Four places are left.',
    },
  },
  draft_posts: { holiday: { text: 'We are on holiday for a week. The starter stays with a neighbour.' } },
  scheduled_posts: {
    weekend: { text: 'This weekend: cinnamon rolls, until they are gone.', scheduled_at: '+P2D' },
  },
  campaigns: {
    mornings: {
      name: 'Mornings in the neighbourhood',
      funding: 'card',
      daily_budget_amount_local_micro: 6_000_000,
      // Is used up within two weeks of simulated delivery: it is not spread over the flight.
      total_budget_amount_local_micro: 20_000_000,
      standard_delivery: false,
      line_items: {
        commuters: {
          name: 'Commuters',
          objective: 'ENGAGEMENTS',
          product_type: 'PROMOTED_POSTS',
          placements: ['ALL_ON_SERVICE'],
          bid_strategy: 'MAX',
          bid_amount_local_micro: 1_200_000,
          start_time: '-P5D',
          end_time: '+P16D',
          targeting: [
            { targeting_type: 'LOCATION', targeting_value: '96683cc9126741d1' },
            { targeting_type: 'AGE', targeting_value: 'AGE_25_TO_49' },
          ],
          promoted_posts: ['opening', 'rye'],
        },
        families: {
          name: 'Families',
          objective: 'ENGAGEMENTS',
          product_type: 'PROMOTED_POSTS',
          placements: ['ALL_ON_SERVICE'],
          bid_strategy: 'MAX',
          bid_amount_local_micro: 900_000,
          entity_status: 'PAUSED',
          targeting: [{ targeting_type: 'INTEREST', targeting_value: '1001' }],
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
          product_type: 'PROMOTED_POSTS',
          placements: ['ALL_ON_SERVICE'],
          bid_strategy: 'AUTO',
          daily_budget_amount_local_micro: 12_000_000,
          total_budget_amount_local_micro: 150_000_000,
          start_time: '+P1D',
          end_time: '+P15D',
          targeting: [{ targeting_type: 'AGE', targeting_value: 'AGE_25_TO_54' }],
          tracking_tags: [{ tracking_tag_type: 'CLICK_TRACKER', tracking_tag_url: 'https://tracking.example/cakes' }],
          promoted_posts: ['cake'],
        },
      },
    },
    regulars: {
      name: 'More regulars',
      funding: 'card',
      daily_budget_amount_local_micro: 5_000_000,
      entity_status: 'PAUSED',
      line_items: {
        followers: {
          name: 'Followers',
          objective: 'FOLLOWERS',
          product_type: 'PROMOTED_ACCOUNT',
          placements: ['ALL_ON_SERVICE'],
          bid_strategy: 'AUTO',
          promoted_accounts: ['ada'],
        },
      },
    },
    course: {
      name: 'Bread for beginners',
      funding: 'card',
      daily_budget_amount_local_micro: 8_000_000,
      entity_status: 'DRAFT',
      line_items: {
        places: {
          name: 'The last places',
          objective: 'REACH',
          product_type: 'PROMOTED_POSTS',
          placements: ['ALL_ON_SERVICE'],
          bid_strategy: 'TARGET',
          bid_amount_local_micro: 4_000_000,
          promoted_posts: ['course'],
        },
      },
    },
  },
};
