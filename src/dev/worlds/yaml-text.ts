import { stringify } from 'yaml';

/**
 * A value as YAML. The package is a CommonJS module: the few that need it load this module by `import()`, because the
 * bundle does not give such a package its names.
 */
export function yamlText(value: unknown): string {
  return stringify(value, { lineWidth: 140 });
}
