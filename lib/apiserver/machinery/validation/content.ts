/**
 * A check of a string. Returns the problems with the text of the real server; an empty list for a valid string.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/util/validation/validation.go, pkg/api/validate/content
 */
export type StringCheck = (text: string) => readonly string[];

const fine: readonly string[] = Object.freeze([]);

/** The unit in messages. All limits are in bytes, but the messages of older checks contain the word "characters". */
type Unit = 'bytes' | 'characters';

/** Returns the message `must be no more than 63 characters`, with the given limit in place of 63. */
export const maxLength = (limit: number, unit: Unit = 'characters'): string => `must be no more than ${limit} ${unit}`;

const isTooLong = (text: string, limit: number): boolean => text.length * 3 > limit && Buffer.byteLength(text) > limit;

/** The required form of a string. */
export interface ContentPattern {
  /** Source of a regular expression for the whole string. */
  readonly source: string;
  readonly message: string;
  readonly examples: readonly string[];
  /** Maximum length in bytes. @default none */
  readonly limit?: number;
  /** The unit that messages use. @default 'characters' */
  readonly unit?: Unit;
}

const patternText = ({ message, source, examples }: ContentPattern): string =>
  `${message} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is '${source}')`;

/** Returns a check of the pattern and the maximum length of a text. */
export const matching = (pattern: ContentPattern): StringCheck => {
  const regex = new RegExp(`^(?:${pattern.source})$`);
  const { limit = Number.POSITIVE_INFINITY, unit = 'characters' } = pattern;
  const mismatch = patternText(pattern);
  return (text) => {
    const isLong = isTooLong(text, limit);
    const fits = regex.test(text);
    if (fits && !isLong) return fine;
    return [...(isLong ? [maxLength(limit, unit)] : []), ...(fits ? [] : [mismatch])];
  };
};

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';

const subdomain: ContentPattern = {
  source: `${label}(\\.${label})*`,
  message:
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  examples: ['example.com'],
  limit: 253,
};

/** Checks a name that may contain dots. */
export const isDns1123Subdomain: StringCheck = matching(subdomain);

/** Checks a name that consists of `*.` and a name that may contain dots. */
export const isWildcardDns1123Subdomain: StringCheck = matching({
  source: `\\*\\.${subdomain.source}`,
  message:
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  examples: ['*.example.com'],
  limit: 253,
});

const subdomainRegex = new RegExp(`^${subdomain.source}$`);

const labelPattern = matching({
  source: label,
  message:
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  examples: ['my-name', '123-abc'],
  limit: 63,
});

/** Checks a name without dots. */
export const isDns1123LabelText: StringCheck = (text) => {
  const found = labelPattern(text);
  const isDotted = text.includes('.') && subdomainRegex.test(text);
  return isDotted ? [...found.filter((problem) => problem === maxLength(63)), 'must not contain dots'] : found;
};

/** Checks a name without dots that starts with a letter. */
export const isDns1035Label: StringCheck = matching({
  source: '[a-z]([-a-z0-9]*[a-z0-9])?',
  message:
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  examples: ['my-name', 'abc-123'],
  limit: 63,
});

/** Checks the name of a kind: a DNS-1035 label that may contain upper case. All problems are joined into one text. */
export const isKindName: StringCheck = (text) => {
  const problems = isDns1035Label(text.toLowerCase());
  return problems.length === 0 ? fine : [`may have mixed case, but should otherwise match: ${problems.join(',')}`];
};

const key: ContentPattern = {
  source: '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]',
  message:
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  examples: ['MyName', 'my.name', '123-abc'],
};
const keyRegex = new RegExp(`^${key.source}$`);
const keyText = patternText(key);
const keyPrefix = matching({ ...subdomain, unit: 'bytes' });

const prefixProblems = (prefix: string): readonly string[] =>
  prefix === '' ? ['prefix part must be non-empty'] : keyPrefix(prefix).map((text) => `prefix part ${text}`);

const nameProblems = (name: string): readonly string[] => {
  if (name === '') return ['name part must be non-empty', `name part ${keyText}`];
  const isLong = isTooLong(name, 63);
  const fits = keyRegex.test(name);
  if (fits && !isLong) return fine;
  return [...(isLong ? [`name part ${maxLength(63, 'bytes')}`] : []), ...(fits ? [] : [`name part ${keyText}`])];
};

/** Checks a name with an optional domain before a slash, such as a label key, a finalizer or a resource name. */
export const isQualifiedName: StringCheck = (text) => {
  const slash = text.indexOf('/');
  if (slash < 0) return nameProblems(text);
  if (text.includes('/', slash + 1)) {
    return [`a valid label key ${keyText} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  return [...prefixProblems(text.slice(0, slash)), ...nameProblems(text.slice(slash + 1))];
};

/** Checks the value of a label. */
export const isLabelValue: StringCheck = matching({
  source: `(${key.source})?`,
  message:
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  examples: ['MyValue', 'my_value', '12345'],
  limit: 63,
  unit: 'bytes',
});

/** Checks the prefix of a name that is a part of a URL. */
export const isPathSegmentPrefix: StringCheck = (text) =>
  ['/', '%'].filter((character) => text.includes(character)).map((character) => `may not contain '${character}'`);

/** Checks a name that is a part of a URL. */
export const isPathSegmentName: StringCheck = (text) =>
  text === '.' || text === '..' ? [`may not be '${text}'`] : isPathSegmentPrefix(text);

/**
 * Converts the check of a name to the check of its prefix, which may end in a dash.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/api/validation/generic.go (`maskTrailingDash`)
 */
export const asPrefix =
  (check: StringCheck): StringCheck =>
  (text) =>
    check(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text);
