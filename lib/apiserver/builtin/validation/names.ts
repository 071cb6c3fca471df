import { matching, maxLength, type StringCheck } from '#lib/apiserver/machinery/validation/content.ts';

const fine: readonly string[] = Object.freeze([]);

/** Returns the message `must be between 1 and 65535, inclusive`, with the given limits. */
export const rangeMessage = (low: number, high: number): string => `must be between ${low} and ${high}, inclusive`;

const byteLength = (value: string): number => Buffer.byteLength(value);

const underscoreLabel = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';

/** Checks a subdomain, which may contain underscores, as in the search list of DNS. */
export const isDns1123SubdomainWithUnderscore: StringCheck = matching({
  source: `${underscoreLabel}(\\.${underscoreLabel})*`,
  message:
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
  examples: ['example.com'],
  limit: 253,
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

/** Checks a key of a ConfigMap or a Secret. */
export const isConfigMapKey: StringCheck = (value) => [...configKey(value), ...upwards(value)];

/** Checks the name of an environment variable. */
export const isRelaxedEnvVarName: StringCheck = (value) => {
  if (value === '') return ['environment variable name must be non-empty'];
  const isPrintable = /^[ -<>-~]+$/.test(value);
  return isPrintable
    ? fine
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
};

/** Checks the name of a container port. */
export const isPortName: StringCheck = (value) => [
  ...(byteLength(value) > 15 ? [maxLength(15)] : []),
  ...(/^[-a-z0-9]+$/.test(value) ? [] : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
  ...(/[a-z]/.test(value) ? [] : ['must contain at least one letter (a-z)']),
  ...(value.includes('--') ? ['must not contain consecutive hyphens'] : []),
  ...(value.startsWith('-') || value.endsWith('-') ? ['must not begin or end with a hyphen'] : []),
];

/** Checks the name of an HTTP header. */
export const isHttpHeaderName: StringCheck = matching({
  source: '[-A-Za-z0-9]+',
  message: "a valid HTTP header must consist of alphanumeric characters or '-'",
  examples: ['X-Header-Name'],
});

/** Checks a percentage such as `25%`. */
export const isPercent: StringCheck = matching({
  source: '[0-9]+%',
  message: "a valid percent string must be a numeric string followed by an ending '%'",
  examples: ['1%', '93%'],
});
