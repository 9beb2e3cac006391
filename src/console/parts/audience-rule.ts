import { texts } from '../../texts/texts.ts';

const words = texts.combine;

/** A rule that combines audiences, in the format of the API. */
export type AudienceRule =
  | { readonly custom_audience_id: string; readonly negate: boolean; readonly child_segments?: readonly [] }
  | { readonly boolean_operator: 'AND' | 'OR'; readonly child_segments: readonly AudienceRule[] };

/** The ids of all audiences in a rule. */
export function audiencesOf(rule: AudienceRule): string[] {
  return 'boolean_operator' in rule ? rule.child_segments.flatMap(audiencesOf) : [rule.custom_audience_id];
}

/** A rule as a sentence, such as `People who are in “Buyers” and (in “A” or not in “B”)`. */
export function ruleText(rule: AudienceRule, names: ReadonlyMap<string, string>): string {
  return `${words.people} ${partText(rule, names, true)}`;
}

function partText(rule: AudienceRule, names: ReadonlyMap<string, string>, isWhole: boolean): string {
  if (!('boolean_operator' in rule)) {
    const name = names.get(rule.custom_audience_id) ?? words.unknown;
    return rule.negate ? words.out(name) : words.in(name);
  }
  const [only, ...others] = rule.child_segments;
  if (only && others.length === 0) return partText(only, names, isWhole);
  const parts = rule.child_segments.map((each) => partText(each, names, false));
  const text = parts.join(rule.boolean_operator === 'AND' ? words.and : words.or);
  return isWhole ? text : `(${text})`;
}
