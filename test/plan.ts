import { globSync, readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';

/** How much a run tries: `npm test`, what `.ci/run` adds to it, or everything. */
export type Tier = 'short' | 'core' | 'full';

/** Files that the short run leaves to a later tier. */
interface Later {
  /** Paths below `test/`, without `.test.ts` or `.ts`; `*` stands for any characters. */
  readonly files: readonly string[];
  readonly tier: 'core' | 'full';
  /** Completes "they": why the short run, or the core, does without. */
  readonly reason: string;
}

/** The first row that fits a file holds; CONTRIBUTING.md has this table. Files of the wider suites without a row are of the core. */
export const LATER: readonly Later[] = [
  {
    files: ['faults/{posts,served-ads,simulated-delivery,snapshot}-kill'],
    tier: 'full',
    reason: 'kill servers at further work; the core kills them at their main work',
  },
  {
    files: ['faults/kill', 'faults/*-kill'],
    tier: 'core',
    reason: 'kill and start servers again and again',
  },
  {
    files: ['faults/postgres-{media-nodes,outages,roles,webhook-nodes}', 'resources/keyword-nodes'],
    tier: 'core',
    reason: 'start, kill or freeze several servers that share a database',
  },
  {
    files: ['resources/results-large-account'],
    tier: 'core',
    reason: 'compare half a million numbers of an account with 10,000 line items',
  },
  {
    files: [
      'clients/{logins,trial,typed-*}',
      'commands/{dev,dev-file,events-listen,key-order,serve,tls,unsynced-start,webhooks}',
    ],
    tier: 'core',
    reason: 'start a program in most of their tests',
  },
  {
    files: ['commands/{audience,demo-past,developer-clock,developer-snapshots,people}', 'resources/first-people'],
    tier: 'core',
    reason: 'make a development server with people, or send it large files',
  },
  {
    files: ['laws/{copies,stream-gaps,upgrades}', 'commands/{packed,release}', 'units/package'],
    tier: 'core',
    reason: 'need whole databases of both kinds and of released versions, many streams or the packed program',
  },
  {
    files: [
      'resources/{media-object-store,object-store-check,reference-examples,workbench-catalog}',
      'units/{objects,openapi-linter}',
    ],
    tier: 'core',
    reason: 'start object stores that come and go, or try, send or lint the whole reference',
  },
  {
    files: [
      'behaviours/descriptions',
      'commands/audit',
      'faults/postgres-fence',
      'laws/{clock-advance,keyword-volumes,line-item-concurrency,media-copies,membership-merging,targeting-limits,transitions-*}',
      'resources/{audience-files,audience-standing,german-pages,media-probing,targeted-audiences}',
      'units/{aliases,cached-reader,site}',
    ],
    tier: 'core',
    reason: 'take four processor seconds or more each, for what others of the short run try in part',
  },
  {
    files: ['units/deploy-chart'],
    tier: 'core',
    reason: 'compile manifests with the types of Kubernetes',
  },
  {
    files: ['conformance/*'],
    tier: 'core',
    reason: 'check every sentence of the protocol that others check in detail',
  },
  {
    files: ['clients/testing', 'commands/worlds', 'laws/probe-field', 'units/keyword-samples'],
    tier: 'full',
    reason: 'start many servers, build another program or index 120,000 posts',
  },
  {
    files: [
      'commands/{action,arrival,backups,balancer,cluster,image,installed,operate,registry}.wider',
      'faults/{backups,disk-full,large-upload}.wider',
    ],
    tier: 'full',
    reason: 'set up machines, clusters, images, packages or disks, for minutes each',
  },
  {
    files: ['clients/{reference-examples,stats-files,testing-runners,tweepy-faults,wrong-signatures}.wider'],
    tier: 'full',
    reason: 'start a program of another language for each call',
  },
  {
    files: ['clients/generators.wider'],
    tier: 'full',
    reason: "install other people's generators, and compile what they make",
  },
  {
    files: ['clients/typed-runtimes.wider'],
    tier: 'full',
    reason: 'install further runtimes',
  },
  {
    files: ['clients/containers.wider'],
    tier: 'full',
    reason: 'install Testcontainers, and stand in for its container engine',
  },
  {
    files: ['resources/{media-conversion,media-encoders}.wider'],
    tier: 'full',
    reason: 'encode videos in many codecs',
  },
  {
    files: [
      'faults/postgres-{clocks,disturbed-nodes,failover,live-events,nonce-crash,once,other-redis,redis,revocations,rolling-upgrade,served-ads}.wider',
      'laws/copied-reads.wider',
    ],
    tier: 'full',
    reason: 'disturb three nodes for long; the core disturbs them in other ways',
  },
  {
    files: [
      'resources/{card-previews,console-clicks,console-composer,console-grid,console-pages,console-people-file,developer-debugger}.wider',
      'resources/{developer-home-pages,developer-request-pages,developer-snapshots,developer-tool-pages,every-word}.wider',
      'resources/{pages,people-pages,post-previews,publisher-page,reference-pages,website-tag}.wider',
    ],
    tier: 'full',
    reason: 'look at single pages in a browser; the core walks through the stories that connect them',
  },
];

/** On PostgreSQL too in short runs: what depends on the database itself. */
const STORAGE = matcherOf([
  'faults/{postgres-*,event-statements,nth-statement}',
  'laws/{concurrency,differential,event-log,line-item-concurrency,memberships,new-schema,sent-forms}',
  'resources/{node-clocks,job-leases,webhook-leases}',
  'commands/migrate',
]);

/** Whether a name is one of those that patterns stand for. */
function matcherOf(patterns: readonly string[]): (name: string) => boolean {
  return (name) => patterns.some((pattern) => matchesGlob(name, pattern));
}

/** Compare the two databases, and run once. */
const COMPARING = matcherOf([
  'laws/{differential,copies,retention}',
  'laws/copied-reads.wider',
  'faults/backups.wider',
]);

/** Use no database although they are laws or faults. */
const WITHOUT_DATABASE = matcherOf(['laws/{membership-merging,upload-parsing}', 'faults/merging-kill']);

/** What only a database server can do to us. */
const POSTGRES_ALONE = matcherOf(['faults/postgres-*']);

/** Whose behavior must not depend on which node answers. */
const ON_NODES = matcherOf([
  'behaviours/*',
  'laws/{concurrency,line-item-concurrency,sent-forms,targeting-limits}',
  'resources/{activity-*,connections,do-not-reach-lists,media-library,subscription*,tax-settings}',
]);

/** Whose behavior must be the same in all words. */
const IN_ALL_WORDS = matcherOf(['behaviours/*', 'resources/activity-*', 'laws/differential']);

/** A file that begins so, with the reason, needs one database: it cannot tell them apart. */
const EITHER = /^\/\/ On either database: /;
/** A file with such a line is about one server, and does not run behind a balancer. */
const ONE_NODE = /^\/\/ Of one node: /m;
/** A file with such a line is about the words of the service itself, and does not run with an alias file. */
const OWN_WORDS = /^\/\/ Of own words: /m;

/** A file of tests. */
export interface TestFile {
  readonly path: string;
  /** Its path below `test/`, without `.test.ts` or `.ts`. */
  readonly name: string;
  /** It needs programs that `npm ci` does not install. */
  readonly isWider: boolean;
  /** The first tier that runs it. */
  readonly tier: Tier;
  readonly usesDatabase: boolean;
  readonly isOnEither: boolean;
  readonly isComparing: boolean;
  readonly isPostgresAlone: boolean;
  readonly isOnStorage: boolean;
  /** It is about one server. */
  readonly isOfOneNode: boolean;
  readonly runsOnNodes: boolean;
  /** Its clients can speak the words of an alias file. */
  readonly speaksForeignWords: boolean;
  readonly runsInForeignWords: boolean;
}

/** Every file of tests, in the order of their paths. */
export function testFiles(): readonly TestFile[] {
  return globSync('test/**/*.{test,wider}.ts', { exclude: ['test/clients/runners/**'] })
    .sort()
    .map(describeFile);
}

function describeFile(path: string): TestFile {
  const text = readFileSync(path, 'utf8');
  const name = path.replace(/^test\//, '').replace(/(\.test)?\.ts$/, '');
  const isWider = path.endsWith('.wider.ts');
  const later = LATER.find(({ files: patterns }) => matcherOf(patterns)(name));
  const speaksForeignWords = !OWN_WORDS.test(text);
  const isOfOneNode = ONE_NODE.test(text);
  const isUnit = name.startsWith('units/') && !isWider;
  return {
    path,
    name,
    isWider,
    tier: later?.tier ?? (isWider ? 'core' : 'short'),
    usesDatabase: !isUnit && !WITHOUT_DATABASE(name),
    isOnEither: EITHER.test(text),
    isComparing: COMPARING(name),
    isPostgresAlone: POSTGRES_ALONE(name),
    isOnStorage: STORAGE(name),
    isOfOneNode,
    runsOnNodes: !isWider && ON_NODES(name) && !isOfOneNode,
    speaksForeignWords,
    runsInForeignWords: !isWider && IN_ALL_WORDS(name) && speaksForeignWords,
  };
}
