import { badRequest } from '#lib/apiserver/machinery/status.ts';
import { aggregateText, goQuote } from '#lib/apiserver/machinery/text/go-text.ts';
import { isLabelValue, isQualifiedName } from '#lib/apiserver/machinery/validation/content.ts';

type Operator = 'in' | 'notin' | '=' | '==' | '!=' | '>' | '<' | 'exists' | '!';

interface Token {
  readonly kind:
    | 'identifier'
    | 'end'
    | ')'
    | '('
    | ','
    | '!'
    | '=='
    | '='
    | '>'
    | '<'
    | 'in'
    | 'notin'
    | '!='
    | 'error';
  readonly text: string;
}

const SYMBOLS = new Set<string>([')', ',', '!', '==', '=', '>', '<', '!=', '(']);

/** Returns the longest operator at the start of a series of special characters, as the lexer of the real server does. */
const symbolOf = (run: string): Token => {
  let found: string | undefined;
  for (let length = 1; length <= run.length; length++) {
    const text = run.slice(0, length);
    if (SYMBOLS.has(text)) found = text;
    else if (found !== undefined) break;
  }
  if (found === undefined) return { kind: 'error', text: `error expected: keyword found '${run}'` };
  return { kind: found as Token['kind'], text: found };
};

/** @see k8s.io/apimachinery v0.36.4 pkg/labels/selector.go (`Lexer`) */
const tokensOf = (selector: string): readonly Token[] => {
  const tokens: Token[] = [];
  let rest = selector;
  for (;;) {
    rest = rest.replace(/^[ \t\r\n]+/, '');
    if (rest === '') return [...tokens, { kind: 'end', text: '' }];
    const special = /^[=!(),<>]+/.exec(rest)?.[0];
    const word = special === undefined ? (/^[^=!(),<> \t\r\n]+/.exec(rest)?.[0] ?? '') : '';
    const token: Token =
      special === undefined
        ? { kind: word === 'in' || word === 'notin' ? word : 'identifier', text: word }
        : symbolOf(special);
    tokens.push(token);
    rest = rest.slice(token.kind === 'error' ? (special?.length ?? 1) : token.text.length);
  }
};

const wrong = (message: string): Error => badRequest(message);

const inRequirement = (message: string): Error => wrong(`unable to parse requirement: ${message}`);

const invalidValue = (path: string, value: string, problems: readonly string[]): string =>
  `${path}: Invalid value: ${goQuote(value)}: ${problems.join('; ')}`;

/** One condition of a label selector. */
export interface Requirement {
  readonly key: string;
  readonly operator: Operator;
  readonly values: readonly string[];
}

/** @see k8s.io/apimachinery v0.36.4 pkg/labels/selector.go (`NewRequirement`) */
const checked = (requirement: Requirement): Requirement => {
  const { key, operator, values } = requirement;
  const isNumeric = operator === '>' || operator === '<';
  const problems = values.flatMap((value, i) => {
    const why = isLabelValue(value);
    return [
      ...(isNumeric && !/^[+-]?\d+$/.test(value)
        ? [invalidValue(`values[${i}]`, value, ["for 'Gt', 'Lt' operators, the value must be an integer"])]
        : []),
      ...(why.length > 0 ? [invalidValue(`values[${i}][${key}]`, value, why)] : []),
    ];
  });
  if (problems.length === 0) return requirement;
  throw inRequirement(aggregateText(problems));
};

/** @see k8s.io/apimachinery v0.36.4 pkg/labels/selector.go (`Parser`) */
class Parser {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(selector: string) {
    this.#tokens = tokensOf(selector);
  }

  /** Returns the next token. Where the syntax has no operator, the words `in` and `notin` are identifiers. */
  #peek(isOperator = false): Token {
    const token = this.#tokens[this.#position] ?? { kind: 'end', text: '' };
    const isWord = token.kind === 'in' || token.kind === 'notin';
    return isWord && !isOperator ? { kind: 'identifier', text: token.text } : token;
  }

  #next(isOperator = false): Token {
    const token = this.#peek(isOperator);
    this.#position++;
    return token;
  }

  parse(): readonly Requirement[] {
    const requirements: Requirement[] = [];
    for (;;) {
      const { kind, text } = this.#peek();
      if (kind === 'end') return requirements;
      if (kind !== 'identifier' && kind !== '!') {
        throw wrong(`found '${text}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(checked(this.#requirement()));
      const separator = this.#next();
      if (separator.kind === 'end') return requirements;
      if (separator.kind !== ',') throw wrong(`found '${separator.text}', expected: ',' or 'end of string'`);
      const after = this.#peek();
      if (after.kind !== 'identifier' && after.kind !== '!') {
        throw wrong(`found '${after.text}', expected: identifier after ','`);
      }
    }
  }

  #requirement(): Requirement {
    const isNegated = this.#peek().kind === '!';
    if (isNegated) this.#next();
    const { kind, text: key } = this.#next();
    if (kind !== 'identifier') throw inRequirement(`found '${key}', expected: identifier`);
    const problems = isQualifiedName(key);
    if (problems.length > 0) throw inRequirement(invalidValue('<nil>', key, problems));
    const after = this.#peek().kind;
    if (isNegated) return { key, operator: '!', values: [] };
    if (after === 'end' || after === ',') return { key, operator: 'exists', values: [] };
    const operator = this.#operator();
    const values = operator === 'in' || operator === 'notin' ? this.#values() : [this.#value()];
    return { key, operator, values };
  }

  #operator(): Operator {
    const { kind, text } = this.#next(true);
    if (kind === 'in' || kind === 'notin' || kind === '=' || kind === '==' || kind === '!=') return kind;
    if (kind === '>' || kind === '<') return kind;
    throw inRequirement(`found '${text}', expected: in, notin, =, ==, !=, gt, lt`);
  }

  #value(): string {
    const { kind } = this.#peek();
    if (kind === 'end' || kind === ',') return '';
    const { kind: found, text } = this.#next();
    if (found === 'identifier') return text;
    throw inRequirement(`found '${text}', expected: identifier`);
  }

  #values(): readonly string[] {
    const open = this.#next();
    if (open.kind !== '(') throw inRequirement(`found '${open.text}' expected: '('`);
    const first = this.#peek();
    if (first.kind === ')') {
      this.#next();
      return [''];
    }
    if (first.kind !== 'identifier' && first.kind !== ',') {
      throw inRequirement(`found '${first.text}', expected: ',', ')' or identifier`);
    }
    const values = this.#list();
    if (this.#next().kind !== ')') throw inRequirement(`found '${first.text}', expected: ')'`);
    return [...values].toSorted();
  }

  /** Reads the values between parentheses. A comma without a neighbor on one side gives an empty value. */
  #list(): Set<string> {
    const values = new Set<string>();
    for (;;) {
      const { kind, text } = this.#next();
      const after = this.#peek();
      if (kind === 'identifier') {
        values.add(text);
        if (after.kind === ')') return values;
        if (after.kind !== ',') throw inRequirement(`found '${after.text}', expected: ',' or ')'`);
      } else if (kind === ',') {
        if (values.size === 0 || after.kind === ')' || after.kind === ',') values.add('');
        if (after.kind === ')') return values;
      } else throw inRequirement(`found '${text}', expected: ',', or identifier`);
    }
  }
}

/**
 * Parses a label selector.
 *
 * @throws {StatusError} 400 with the real server's message
 */
export const requirementsOf = (selector: string): readonly Requirement[] => new Parser(selector).parse();
