import { globSync, readFileSync } from 'node:fs';

/** How much a run tries: `npm test`, what `.ci/run` adds to it, or everything. */
export type Tier = 'short' | 'core' | 'full';

/** Files that the short run leaves to a later tier. */
interface Later {
  /** A pattern of paths below `test/`, without `.test.ts`. */
  readonly files: RegExp;
  readonly tier: 'core' | 'full';
  readonly reason: string;
}

/** The first row that fits a file holds. CONTRIBUTING.md shows this table. */
export const LATER: readonly Later[] = [
  {
    files: /^faults\/(kill|.*-kill)$/,
    tier: 'core',
    reason: 'kill and start servers some ninety times',
  },
  {
    files: /^faults\/postgres-(media-nodes|outages|roles|webhook-nodes)$|^resources\/keyword-nodes$/,
    tier: 'core',
    reason: 'start, kill or freeze several servers that share a database',
  },
  {
    files:
      /^clients\/(logins|testing|trial)$|^commands\/(dev|events-listen|key-order|serve|tls|unsynced-start|webhooks|worlds)$/,
    tier: 'core',
    reason: 'start programs, each of which loads for a second, in most of their tests',
  },
  {
    files: /^commands\/(audience|developer-clock|developer-snapshots|people)$|^resources\/first-people$/,
    tier: 'core',
    reason: 'make a development server with people, or send it large files',
  },
  {
    files: /^laws\/(probe-field|upgrades)$/,
    tier: 'core',
    reason: 'build another program, or upgrade the databases of released ones',
  },
  {
    files: /^laws\/stream-gaps$|^units\/(keyword-samples|objects|package)$/,
    tier: 'core',
    reason: 'need a large corpus, many streams, an object store or the packed program',
  },
];

/** On PostgreSQL too in short runs: what depends on the database itself. */
const STORAGE =
  /^faults\/(postgres-.*|event-statements|nth-statement)$|^laws\/(concurrency|copies|differential|event-log|line-item-concurrency|memberships|new-schema)$|^resources\/(node-clocks|job-leases|webhook-leases)$|^commands\/migrate$/;

/** Wider suites that `.ci/run` runs; the others run in full runs only. */
const CORE_OF_WIDER = /./;

/** Compare the two databases, and run once. */
const COMPARING = /^laws\/(differential|copies|copied-reads)$|^faults\/backups$/;

/** Use no database although they are laws or faults. */
const WITHOUT_DATABASE = /^laws\/(membership-merging|upload-parsing)$|^faults\/merging-kill$/;

/** What only a database server can do to us. */
const POSTGRES_ALONE = /^faults\/(postgres-|outages)/;

/** Whose behavior must not depend on which node answers. */
const ON_NODES = /^(behaviours\/.*|resources\/(activity-.*|connections|subscription.*))$/;

/** Whose behavior must be the same in all words. */
const IN_ALL_WORDS = /^(behaviours\/.*|resources\/activity-.*|laws\/differential)$/;

/** A file that begins so, with the reason, needs one database: it cannot tell them apart. */
const EITHER = /^\/\/ On either database: /;
/** A file with such a line is about one server, and does not run behind a balancer. */
const ONE_NODE = /^\/\/ Of one node: /m;
/** A file with such a line is about the words of the service itself, and does not run with an alias file. */
const OWN_WORDS = /^\/\/ Of own words: /m;

/** A file of tests. */
export interface TestFile {
  readonly path: string;
  /** Its path below `test/`, without `.test.ts` or `.wider.ts`. */
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
  readonly runsOnNodes: boolean;
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
  const name = path.replace(/^test\//, '').replace(/\.(test|wider)\.ts$/, '');
  const isWider = path.endsWith('.wider.ts');
  const later = LATER.find(({ files }) => files.test(name));
  const isUnit = name.startsWith('units/') && !isWider;
  return {
    path,
    name,
    isWider,
    tier: isWider ? (CORE_OF_WIDER.test(name) ? 'core' : 'full') : (later?.tier ?? 'short'),
    usesDatabase: !isUnit && !WITHOUT_DATABASE.test(name),
    isOnEither: EITHER.test(text),
    isComparing: COMPARING.test(name),
    isPostgresAlone: POSTGRES_ALONE.test(name),
    isOnStorage: STORAGE.test(name),
    runsOnNodes: !isWider && ON_NODES.test(name) && !ONE_NODE.test(text),
    runsInForeignWords: !isWider && IN_ALL_WORDS.test(name) && !OWN_WORDS.test(text),
  };
}
