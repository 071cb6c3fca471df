/**
 * What is wrong with a text, in the words of the real server; nothing when it is fine.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/api/validate/content/{dns,kube,path}.go
 */
export type Problems = readonly string[];

const NONE: Problems = Object.freeze([]);

const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const DNS_SUBDOMAIN = `${DNS_LABEL}(\\.${DNS_LABEL})*`;
const KEY = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const VALUE = `(${KEY})?`;

const label = new RegExp(`^${DNS_LABEL}$`);
const subdomain = new RegExp(`^${DNS_SUBDOMAIN}$`);
const key = new RegExp(`^${KEY}$`);
const value = new RegExp(`^${VALUE}$`);

const tooLong = (text: string, limit: number, unit: 'bytes' | 'characters' = 'bytes'): Problems =>
  text.length * 3 > limit && Buffer.byteLength(text) > limit ? [`must be no more than ${limit} ${unit}`] : NONE;

const regexProblem = (
  what: string,
  { source, examples }: { readonly source: string; readonly examples: readonly string[] },
): string =>
  `${what} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is '${source}')`;

const DNS_CHARACTERS = 'alphanumeric characters';
const KEY_PROBLEM = regexProblem(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  { source: KEY, examples: ['MyName', 'my.name', '123-abc'] },
);

/** A name of lower-case letters, digits, dashes and dots. Limits are told in characters for names, in bytes for parts of keys. */
const subdomainProblems = (text: string, unit: 'bytes' | 'characters'): Problems => {
  if (text.length <= 253 && subdomain.test(text)) return NONE;
  const shape = regexProblem(
    `a lowercase RFC 1123 subdomain must consist of lower case ${DNS_CHARACTERS}, '-' or '.', and must start and end with an alphanumeric character`,
    { source: DNS_SUBDOMAIN, examples: ['example.com'] },
  );
  return [...tooLong(text, 253, unit), ...(subdomain.test(text) ? [] : [shape])];
};

/** The name of a custom resource. */
export const nameProblems = (text: string): Problems => subdomainProblems(text, 'characters');

/** The beginning of a generated name, which may end in a dash. */
export const namePrefixProblems = (text: string): Problems =>
  nameProblems(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text);

/** The name of a namespace: a DNS label. */
export const namespaceProblems = (text: string): Problems => {
  if (text.length <= 63 && label.test(text)) return NONE;
  const shape = subdomain.test(text)
    ? 'must not contain dots'
    : regexProblem(
        `a lowercase RFC 1123 label must consist of lower case ${DNS_CHARACTERS} or '-', and must start and end with an alphanumeric character`,
        { source: DNS_LABEL, examples: ['my-name', '123-abc'] },
      );
  return [...tooLong(text, 63, 'characters'), ...(label.test(text) ? [] : [shape])];
};

const keyPartProblems = (name: string): Problems => [
  ...(name === '' ? ['name part must be non-empty'] : tooLong(name, 63).map((text) => `name part ${text}`)),
  ...(key.test(name) ? [] : [`name part ${KEY_PROBLEM}`]),
];

/** A qualified name: the key of a label or annotation, a finalizer. */
export const keyProblems = (text: string): Problems => {
  const parts = text.split('/');
  const [first = '', second = ''] = parts;
  if (parts.length === 1) return first.length <= 63 && key.test(first) ? NONE : keyPartProblems(first);
  if (parts.length > 2) {
    return [
      `a valid label key ${KEY_PROBLEM} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const prefix = first === '' ? ['must be non-empty'] : subdomainProblems(first, 'bytes');
  return [...prefix.map((problem) => `prefix part ${problem}`), ...keyPartProblems(second)];
};

/** The value of a label. */
export const labelValueProblems = (text: string): Problems => {
  if (text.length <= 63 && value.test(text)) return NONE;
  const shape = regexProblem(
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    { source: VALUE, examples: ['MyValue', 'my_value', '12345'] },
  );
  return [...tooLong(text, 63), ...(value.test(text) ? [] : [shape])];
};

/** The beginning of a name in a URL. */
export const pathPrefixProblems = (text: string): Problems =>
  ['/', '%'].filter((character) => text.includes(character)).map((character) => `may not contain '${character}'`);

/** A name in a URL. */
export const pathNameProblems = (text: string): Problems =>
  text === '.' || text === '..' ? [`may not be '${text}'`] : pathPrefixProblems(text);
