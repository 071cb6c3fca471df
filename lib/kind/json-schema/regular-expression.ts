/**
 * Patterns in a schema are evaluated by Go's RE2 in the cluster, and by JavaScript at synth. This file accepts patterns that both
 * engines support, and rewrites the few constructs with a different syntax.
 *
 * @see https://github.com/google/re2/wiki/Syntax
 * @see https://pkg.go.dev/regexp/syntax
 */

/** A regular expression, or the reason why the pattern is refused. */
export type CompiledPattern = { readonly regExp: RegExp } | { readonly refusal: string };

/** The largest product of nested repeat counts that Go's regexp/syntax allows. */
const MAX_REPEAT = 1000;

/** One unit of a pattern: an escape, the start of a group, a class bracket, a repeat count, or a single character. */
const TOKEN =
  /\\x\{[0-9A-Fa-f]+\}|\\[pP]\{[^}]*\}|\\[0-7]{2,3}|\\[\s\S]|\(\?P?<[A-Za-z_]\w*>|\(\?[^:)]{0,3}:?|\[\^?\]?|\{\d+(?:,\d*)?\}|[\s\S]/gu;

const OUTSIDE: Readonly<Record<string, string>> = {
  '.': '[^\\n]',
  '\\s': '[\\t\\n\\f\\r ]',
  '\\S': '[^\\t\\n\\f\\r ]',
  '\\A': '^',
  '\\z': '$',
  '\\a': '\\x07',
};
const INSIDE: Readonly<Record<string, string>> = { '\\s': '\\t\\n\\f\\r ', '\\a': '\\x07' };

const SHARED_ESCAPES = 'dDwWfnrtv';
const MUST_STAY_ESCAPED = '^$\\.*+?()[]{}|/-';

/** The reason why a pattern is refused. The type distinguishes a reason from a rewritten pattern. */
class Refusal {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

const refusedEscape = (letter: string): string => {
  if (/^[1-9]/.test(letter)) return `\\${letter} is a back-reference, which RE2 does not have`;
  if (letter === 'k') return '\\k is a back-reference, which RE2 does not have';
  return `the escape \\${letter} does not mean the same in RE2 and JavaScript`;
};

const refusedGroup = (token: string): string | undefined => {
  const lookAround = /^\(\?<?[=!]/.exec(token)?.[0];
  if (lookAround !== undefined) return `${lookAround} is a look-around, which RE2 does not have`;
  if (token === '(?:' || /^\(\?P?<\w+>$/.test(token)) return undefined;
  return `the group ${token} does not mean the same in RE2 and JavaScript`;
};

const rewriteEscape = (token: string, inside: boolean): string | Refusal => {
  const letter = token.slice(1);
  const rewritten = (inside ? INSIDE : OUTSIDE)[token];
  if (rewritten !== undefined) return rewritten;
  if (token.startsWith('\\x{')) return `\\u${token.slice(2)}`;
  if (/^\\[pP]\{[A-Z][a-z]?\}$/.test(token) || (letter.length === 1 && SHARED_ESCAPES.includes(letter))) return token;
  if (/^[0-7]{2,3}$/.test(letter)) return `\\u{${Number.parseInt(letter, 8).toString(16)}}`;
  if (!inside && /^[bB]$/.test(letter)) return token;
  if (letter === 'x') return token;
  if (/^[^0-9A-Za-z]$/.test(letter) && letter < '\x80') {
    return MUST_STAY_ESCAPED.includes(letter) && (inside || letter !== '-') ? token : letter;
  }
  return new Refusal(refusedEscape(letter));
};

const rewriteToken = (token: string, inside: boolean): string | Refusal => {
  if (token.startsWith('\\') && token.length > 1) return rewriteEscape(token, inside);
  if (inside) return token.startsWith('[') ? new Refusal(`write \\[ for a bracket in a class`) : token;
  if (token === '[]' || token === '[^]') return new Refusal(`${token} does not mean the same in RE2 and JavaScript`);
  if (token.startsWith('(?')) {
    const reason = refusedGroup(token);
    return reason === undefined ? token.replace('(?P<', '(?<') : new Refusal(reason);
  }
  return OUTSIDE[token] ?? token;
};

/** The largest count in `{3}`, `{3,}` or `{3,5}`; 1 for any other token. */
const repeatOf = (token: string): number => {
  const counts = /^\{(\d+)(?:,(\d*))?\}$/.exec(token)?.slice(1) ?? [];
  return Math.max(1, ...counts.map(Number).filter(Number.isFinite));
};

/**
 * The maximum number of repetitions that nested counts cause. For example, `(?:a{2}){3}` has 6 repetitions.
 *
 * @see https://cs.opensource.google/go/go/+/master:src/regexp/syntax/parse.go (repeatIsValid)
 */
const largestRepeat = (tokens: readonly string[]): number => {
  const groups = [1];
  let unit = 1;
  for (const token of tokens) {
    const repeat = repeatOf(token);
    if (token.startsWith('(')) groups.push(1);
    unit = token === ')' ? (groups.pop() ?? 1) : repeat === 1 ? 1 : unit * repeat;
    groups.push(Math.max(groups.pop() ?? 1, unit));
  }
  return Math.max(...groups);
};

const rewrite = (pattern: string): string | Refusal => {
  let inside = false;
  let result = '';
  const outside: string[] = [];
  for (const [token] of pattern.matchAll(TOKEN)) {
    const part = rewriteToken(token, inside);
    if (part instanceof Refusal) return part;
    result += part;
    if (!inside) outside.push(token);
    inside = inside ? token !== ']' : token === '[' || token === '[^';
  }
  return largestRepeat(outside) > MAX_REPEAT
    ? new Refusal(`nested repeat counts multiply to at most ${MAX_REPEAT} in RE2`)
    : result;
};

/**
 * Compiles a pattern in RE2 syntax to a JavaScript expression with the same meaning.
 *
 * @param pattern - the pattern; it matches anywhere in a string, unless it contains anchors
 * @returns the expression, or the reason for a refusal. Refused are invalid expressions, look-around, back-references, repeat
 * counts with a product above 1000, and constructs that have no equal in JavaScript
 */
export const compilePattern = (pattern: string): CompiledPattern => {
  const source = rewrite(pattern);
  if (source instanceof Refusal) return { refusal: source.reason };
  try {
    return { regExp: new RegExp(source, 'u') };
  } catch (error) {
    return { refusal: error instanceof Error ? error.message : String(error) };
  }
};
