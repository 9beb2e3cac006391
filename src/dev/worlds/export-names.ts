/** Names of entries, made from what they are called; each is given once. */
export interface Names {
  /** The name of the entry with an id; `called` is what it is called, or empty. */
  name(id: string, called: string): string;
  /** Also finds the entry with an id by what else stands for it. */
  also(id: string, other: string): void;
  find(id: string): string | undefined;
}

const LENGTH_MAX = 40;

/** Makes the names of a section, whose entries are called after it when they have no names of their own. */
export function namesFor(section: string): Names {
  const byId = new Map<string, string>();
  const taken = new Set<string>();
  const singular = section.replace(/ies$/, 'y').replace(/s$/, '');
  return {
    name(id, called) {
      const known = byId.get(id);
      if (known !== undefined) return known;
      const slug = called
        .normalize('NFKD')
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, '_')
        .replace(/^[^a-z]+/, '')
        .slice(0, LENGTH_MAX)
        .replace(/_+$/, '');
      const base = slug === '' ? singular : slug;
      let name = base;
      for (let number = 2; taken.has(name); number++) name = `${base}_${number}`;
      taken.add(name);
      byId.set(id, name);
      return name;
    },
    also: (id, other) => void byId.set(other, byId.get(id)!),
    find: (id) => byId.get(id),
  };
}
