import { isPlainObject } from '#lib/json.ts';

/** One step of a path: maps values to values. */
type Step = (values: readonly unknown[]) => readonly unknown[];

const membersNamed =
  (name: string): Step =>
  (values) =>
    values.flatMap((value) => (isPlainObject(value) && Object.hasOwn(value, name) ? [value[name]] : []));

const all: Step = (values) =>
  values.flatMap((value) => (Array.isArray(value) ? value : isPlainObject(value) ? Object.values(value) : []));

const itemAt =
  (index: number): Step =>
  (values) =>
    values.flatMap((value) => {
      const item: unknown = Array.isArray(value) ? value.at(index) : undefined;
      return item === undefined ? [] : [item];
    });

const COMPARE: Readonly<Record<string, (a: string | number, b: string | number) => boolean>> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

const literalOf = (text: string): string | number =>
  /^(['"]).*\1$/s.test(text) ? text.slice(1, -1) : Number.isNaN(Number(text)) ? text : Number(text);

const filter = (condition: string): Step => {
  const [, path = '', operator = '', right = ''] =
    /^@([^=!<>]*?)\s*(==|!=|<=|>=|<|>)\s*(.+)$/s.exec(condition.trim()) ?? [];
  if (operator === '') {
    const exists = jsonPath(condition.trim().replace(/^@/, ''));
    return (values) => all(values).filter((item) => exists(item).length > 0);
  }
  const [left, compare] = [jsonPath(path), COMPARE[operator]];
  const literal = literalOf(right.trim());
  return (values) =>
    all(values).filter((item) =>
      left(item).some((found) => {
        const value = typeof found === 'boolean' ? String(found) : found;
        return (typeof value === 'string' || typeof value === 'number') && compare?.(value, literal) === true;
      }),
    );
};

const inBrackets = (text: string): Step => {
  if (text === '*') return all;
  if (text.startsWith('?(') && text.endsWith(')')) return filter(text.slice(2, -1));
  if (/^-?\d+$/.test(text)) return itemAt(Number(text));
  if (/^(['"]).*\1$/s.test(text)) return membersNamed(text.slice(1, -1));
  throw new SyntaxError(`[${text}] is not supported`);
};

/** Matches one step of a path: a bracket, in which quoted text may contain `]`, or a dot with a name or a wildcard. */
const TOKEN = /\.?\[((?:'[^']*'|"[^"]*"|[^\]'"])*)\]|\.((?:\\.|[^.[\]\\])+)/sy;

/**
 * Parses a JSONPath such as `.status.conditions[?(@.type=="Ready")].status`, as printer columns use it.
 *
 * @see https://kubernetes.io/docs/reference/kubectl/jsonpath/
 * @throws {SyntaxError} for malformed or unsupported syntax, such as recursive descent, slices and unions
 * @returns a function that finds all values of the path in an object
 */
export const jsonPath = (path: string): ((object: unknown) => readonly unknown[]) => {
  const text = path
    .trim()
    .replace(/^\{(.*)\}$/s, '$1')
    .replace(/^\$/, '');
  const steps: Step[] = [];
  let at = 0;
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text);
    if (token === null) throw new SyntaxError(`Cannot read the path "${path}" from character ${at} on`);
    const [whole, bracket, name = ''] = token;
    if (bracket !== undefined) steps.push(inBrackets(bracket.trim()));
    else steps.push(name === '*' ? all : membersNamed(name.replaceAll(/\\(.)/g, '$1')));
    at += whole.length;
  }
  return (object) => {
    let values: readonly unknown[] = [object];
    for (const step of steps) values = step(values);
    return values;
  };
};
