/**
 * Checks of strings. Each gives what is wrong, nothing when the string is fine; the texts are the real ones.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/util/validation/validation.go, pkg/api/validate/content/kube.go
 */
export type StringCheck = (value: string) => readonly string[];

const fine: readonly string[] = Object.freeze([]);

const maxLength = (length: number): string => `must be no more than ${length} characters`;

/** `must be between 1 and 65535, inclusive`. */
export const rangeMessage = (low: number, high: number): string => `must be between ${low} and ${high}, inclusive`;

const byteLength = (value: string): number => Buffer.byteLength(value);

interface Pattern {
  readonly source: string;
  readonly message: string;
  readonly examples: readonly string[];
  readonly limit?: number;
}

const regexMessage = ({ message, source, examples }: Pattern): string =>
  `${message} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is '${source}')`;

const matching = (pattern: Pattern): StringCheck => {
  const regex = new RegExp(`^(?:${pattern.source})$`);
  const { limit = Number.POSITIVE_INFINITY } = pattern;
  return (value) => {
    const isShort = value.length <= limit && (value.length * 3 <= limit || byteLength(value) <= limit);
    if (isShort && regex.test(value)) return fine;
    return [...(isShort ? [] : [maxLength(limit)]), ...(regex.test(value) ? [] : [regexMessage(pattern)])];
  };
};

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const subdomainRegex = new RegExp(`^${subdomain}$`);

const labelPattern = matching({
  source: label,
  message:
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  examples: ['my-name', '123-abc'],
  limit: 63,
});

/** A name without dots. */
export const isDns1123Label: StringCheck = (value) => {
  const found = labelPattern(value);
  const isDotted = value.includes('.') && subdomainRegex.test(value);
  return isDotted ? [...found.filter((text) => text === maxLength(63)), 'must not contain dots'] : found;
};

/** A name, dots allowed. */
export const isDns1123Subdomain: StringCheck = matching({
  source: subdomain,
  message:
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  examples: ['example.com'],
  limit: 253,
});

const underscoreLabel = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';

/** A search domain. */
export const isDns1123SubdomainWithUnderscore: StringCheck = matching({
  source: `${underscoreLabel}(\\.${underscoreLabel})*`,
  message:
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
  examples: ['example.com'],
  limit: 253,
});

const key = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const keyRegex = new RegExp(`^${key}$`);
const keyMessage =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const keyText = regexMessage({ message: keyMessage, source: key, examples: ['MyName', 'my.name', '123-abc'] });

const prefixErrors = (prefix: string): readonly string[] =>
  prefix === '' ? ['prefix part must be non-empty'] : isDns1123Subdomain(prefix).map((text) => `prefix part ${text}`);

/** A name with an optional domain before a slash: label keys, conditions, finalizers, resource names. */
export const isQualifiedName: StringCheck = (value) => {
  const parts = value.split('/');
  if (parts.length > 2) {
    return [`a valid label key ${keyText} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const name = parts.at(-1) ?? '';
  const errors = parts.length === 2 ? [...prefixErrors(parts[0] ?? '')] : [];
  if (name === '') errors.push('name part must be non-empty');
  else if (byteLength(name) > 63) errors.push(`name part ${maxLength(63)}`);
  if (!keyRegex.test(name)) errors.push(`name part ${keyText}`);
  return errors;
};

/** The value of a label. */
export const isLabelValue: StringCheck = matching({
  source: `(${key})?`,
  message:
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  examples: ['MyValue', 'my_value', '12345'],
  limit: 63,
});

const upwards: StringCheck = (value) => {
  if (value === '.' || value === '..') return [`must not be '${value}'`];
  return value.startsWith('..') ? ["must not start with '..'"] : fine;
};

const configKey = matching({
  source: '[-._a-zA-Z0-9]+',
  message: "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  examples: ['key.name', 'KEY_NAME', 'key-name'],
  limit: 253,
});

/** A key in a ConfigMap or a Secret. */
export const isConfigMapKey: StringCheck = (value) => [...configKey(value), ...upwards(value)];

/** The name of an environment variable. */
export const isRelaxedEnvVarName: StringCheck = (value) => {
  if (value === '') return ['environment variable name must be non-empty'];
  const isPrintable = /^[ -<>-~]+$/.test(value);
  return isPrintable
    ? fine
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
};

/** The name of a port of a container. */
export const isPortName: StringCheck = (value) => [
  ...(byteLength(value) > 15 ? [maxLength(15)] : []),
  ...(/^[-a-z0-9]+$/.test(value) ? [] : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
  ...(/[a-z]/.test(value) ? [] : ['must contain at least one letter (a-z)']),
  ...(value.includes('--') ? ['must not contain consecutive hyphens'] : []),
  ...(value.startsWith('-') || value.endsWith('-') ? ['must not begin or end with a hyphen'] : []),
];

/** The name of an HTTP header. */
export const isHttpHeaderName: StringCheck = matching({
  source: '[-A-Za-z0-9]+',
  message: "a valid HTTP header must consist of alphanumeric characters or '-'",
  examples: ['X-Header-Name'],
});

/** A number of percents, such as `25%`. */
export const isPercent: StringCheck = matching({
  source: '[0-9]+%',
  message: "a valid percent string must be a numeric string followed by an ending '%'",
  examples: ['1%', '93%'],
});

/** What checks a name, and the prefix of a name that will be generated. */
export const nameChecks = (check: StringCheck) => ({
  name: check,
  /** The last character of a prefix may be a dash. */
  prefix: ((value) => check(value.length > 1 && value.endsWith('-') ? `${value.slice(0, -2)}a` : value)) as StringCheck,
});
