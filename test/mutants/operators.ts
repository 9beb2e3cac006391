import { stripTypeScriptTypes } from 'node:module';
import { type AnyNode, type Expression, parse } from 'acorn';

/** One change of a source file that its tests should notice. */
export interface Mutant {
  readonly file: string;
  /** The line of the change, from 1. */
  readonly line: number;
  readonly operator: string;
  /** The text that is replaced: its offsets in the file, and what takes its place. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** Offsets at which the functions around the change begin, the innermost first; empty for code that runs on import. */
  readonly functions: readonly number[];
}

const OPPOSITES: Readonly<Record<string, string>> = {
  ...{ '===': '!==', '!==': '===', '==': '!=', '!=': '==' },
  ...{ '<': '<=', '<=': '<', '>': '>=', '>=': '>' },
  ...{ '+': '-', '-': '+', '*': '/', '/': '*', '%': '*' },
  ...{ '&&': '||', '||': '&&', '??': '&&' },
  ...{ '+=': '-=', '-=': '+=', '++': '--', '--': '++' },
};

/** Properties whose strings are documentation or names of rates: generated documents are compared with them. */
const PROSE = /^(describe|description|summary|source|rate)$/;

interface Change {
  readonly operator: string;
  readonly node: { readonly start: number; readonly end: number };
  readonly replacement: string;
}

/** Every mutant of a file; `text` is its TypeScript source, whose types are blanked and not changed. */
export function mutantsOf(file: string, text: string): Mutant[] {
  const code = stripTypeScriptTypes(text);
  const tree = parse(code, { ecmaVersion: 'latest', sourceType: 'module' });
  const mutants: Mutant[] = [];
  const visit = (node: AnyNode, functions: readonly number[], parent?: AnyNode): void => {
    const inside = isFunction(node) ? [startOf(node, parent), ...functions] : functions;
    for (const { operator, node: place, replacement } of changesOf(node, code, parent)) {
      const line = code.slice(0, place.start).split('\n').length;
      mutants.push({ file, line, operator, start: place.start, end: place.end, replacement, functions: inside });
    }
    for (const child of childrenOf(node)) visit(child, inside, node);
  };
  visit(tree, []);
  return mutants;
}

/** The text of a file with a mutant in it. */
export function applied(text: string, { start, end, replacement }: Mutant): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

function isFunction(node: AnyNode): boolean {
  return /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type);
}

/** Where coverage says that a function begins: a method begins with its name. */
function startOf(node: AnyNode, parent: AnyNode | undefined): number {
  const isMethod = parent && (parent.type === 'MethodDefinition' || (parent.type === 'Property' && parent.method));
  return isMethod ? parent.start : node.start;
}

function childrenOf(node: AnyNode): AnyNode[] {
  if (/^(Import|ExportAll)/.test(node.type)) return [];
  // A key in quotes is a name, not a value.
  const parts = Object.entries(node).filter(([name]) => name !== 'key' || ('computed' in node && node.computed));
  return parts
    .flatMap(([, value]) => value as unknown)
    .filter((each): each is AnyNode => typeof (each as AnyNode | null)?.type === 'string');
}

function changesOf(node: AnyNode, code: string, parent: AnyNode | undefined): Change[] {
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
      return isPlain(node.test) ? conditions(node.test, ['true', 'false']) : [];
    case 'WhileStatement':
      return conditions(node.test, ['false']);
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'AssignmentExpression':
      return swapped(node, code, between(node.left, node.right, node.operator, code));
    case 'UpdateExpression':
      return swapped(node, code, node.prefix ? node.start : node.argument.end);
    case 'UnaryExpression':
      return node.operator === '!'
        ? [changed('negation', node, code.slice(node.argument.start, node.argument.end))]
        : [];
    case 'Literal':
      return literals(node.value, node, parent);
    case 'TemplateLiteral':
      return parent?.type === 'TaggedTemplateExpression' ? [] : [changed('text', node, "''")];
    case 'ArrayExpression':
      return node.elements.length > 0 ? [changed('list', node, '[]')] : [];
    case 'ExpressionStatement':
      return removals(node.expression, node);
    case 'ThrowStatement':
      return [changed('throw', node, ';')];
    case 'ReturnStatement':
      return node.argument ? [changed('return', node.argument, 'undefined')] : [changed('return', node, ';')];
    case 'ContinueStatement':
    case 'BreakStatement':
      return parent?.type === 'SwitchCase' ? [] : [changed('jump', node, ';')];
    default:
      return [];
  }
}

/** Comparisons and the like are changed at their operator. */
function isPlain(test: Expression): boolean {
  return test.type !== 'BinaryExpression' && test.type !== 'LogicalExpression';
}

function conditions(test: Expression, values: readonly string[]): Change[] {
  return values.map((value) => changed('condition', test, value));
}

function changed(operator: string, node: { start: number; end: number }, replacement: string): Change {
  return { operator, node, replacement };
}

/** The offset of an operator between two operands. */
function between(left: AnyNode, right: AnyNode, operator: string, code: string): number {
  const at = code.slice(left.end, right.start).indexOf(operator);
  return left.end + at;
}

function swapped(node: AnyNode & { operator: string }, code: string, start: number): Change[] {
  const { operator } = node;
  const opposite = OPPOSITES[operator];
  if (opposite === undefined) return [];
  // What joins texts has no difference.
  const isText = operator === '+' && /['"`]/.test(code.slice(node.start, node.end));
  if (isText) return [];
  return [changed(operator, { start, end: start + operator.length }, opposite)];
}

function literals(value: unknown, node: AnyNode, parent: AnyNode | undefined): Change[] {
  if (parent?.type === 'ExpressionStatement') return [];
  if (typeof value === 'boolean') return [changed('boolean', node, String(!value))];
  if (typeof value === 'number') return [changed('number', node, String(value + 1))];
  if (typeof value !== 'string') return [];
  if (parent?.type === 'Property' && 'name' in parent.key && PROSE.test(parent.key.name)) return [];
  return [changed('text', node, value === '' ? "'mutant'" : "''")];
}

/** A call whose value nobody uses is left out. */
function removals(expression: Expression, statement: AnyNode): Change[] {
  const call = expression.type === 'AwaitExpression' ? expression.argument : expression;
  return call.type === 'CallExpression' ? [changed('call', statement, ';')] : [];
}
