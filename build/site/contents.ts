/** The guides by what readers want to do: the files of `docs/`, in the order in which to read them. */
export const GUIDES: readonly (readonly [task: string, about: string, guides: readonly string[]])[] = [
  ['Start', 'A running server, the first signed call and a running ad.', ['trial', 'development', 'console']],
  [
    'Build',
    'Campaigns, statistics and conversions from your own code.',
    ['typed-client', 'clients', 'stats', 'conversions', 'keywords'],
  ],
  ['Test', 'A server for each test of your client.', ['testing']],
  ['Run', 'Ads: simulated for development, or served to publishers.', ['delivery', 'serving']],
  ['Operate', 'A server in production.', ['operate', 'security', 'scale', 'benchmarks']],
  ['Integrate', 'Events, webhooks, and clients of other interfaces.', ['activity', 'streams', 'webhooks', 'aliases']],
  ['Understand', 'How it works, and why.', ['glossary', 'sources']],
];

/** Pages that are made from declarations, and documents outside of `docs/`, by task. */
export const OTHERS: Readonly<Record<string, readonly (readonly [path: string, file: string, title: string])[]>> = {
  Build: [
    ['reference', '', 'API reference'],
    ['problems', '', 'Errors'],
  ],
  Operate: [
    ['settings', '', 'Settings'],
    ['audit', 'docs/generated/audit.md', 'Audit events'],
    ['figures', 'docs/generated/scale.md', 'What services of several sizes need'],
  ],
  Integrate: [['events', '', 'Event types']],
  Understand: [
    ['architecture', 'ARCHITECTURE.md', 'Architecture'],
    ['protocol', 'docs/protocol/README.md', 'The protocol'],
    ['decisions', 'docs/decisions/README.md', 'Decisions'],
    ['contributing', 'CONTRIBUTING.md', 'Contributing'],
    ['changes', 'CHANGELOG.md', 'Changes'],
  ],
};

/** Documents that only other documents link to. */
export const UNLISTED: Readonly<Record<string, string>> = {
  'security-policy': 'SECURITY.md',
  'benchmark-runs': 'docs/benchmarks/README.md',
  agents: 'AGENTS.md',
};
