/** The values of the placeholders of a query. If the stable revision is not known, its values are empty. */
export interface QueryWords {
  readonly canary: string;
  readonly stable: string;
  /** The hashes of both revisions. The pods of a revision have its hash in a label. */
  readonly canaryHash: string;
  readonly stableHash: string;
  /** Regular expressions that match the names of the pods of each revision. */
  readonly canaryPods: string;
  readonly stablePods: string;
  /** Index of the step, from 0. */
  readonly step: string;
  readonly percent: string;
  readonly name: string;
  readonly namespace: string;
}

const WORDS: readonly (keyof QueryWords)[] = [
  'canary',
  'canaryHash',
  'canaryPods',
  'name',
  'namespace',
  'percent',
  'stable',
  'stableHash',
  'stablePods',
  'step',
];

/** A list of all placeholders as text, for messages. */
export const knownWords = WORDS.map((word) => `{{${word}}}`).join(', ');

/** Matches in linear time: no two neighbouring quantifiers match the same character. The group is absent for all but one word. */
const PLACEHOLDER = /\{\{(?:\s*(\w+)\s*|[^{}]*)\}\}/g;

const isWord = (text: string | undefined): text is keyof QueryWords => WORDS.some((word) => word === text);

/**
 * Finds the first unknown placeholder of a query.
 *
 * @returns the placeholder with its braces; `undefined` if all placeholders are known
 */
export const unknownWord = (query: string): string | undefined =>
  [...query.matchAll(PLACEHOLDER)].find(([, word]) => !isWord(word))?.[0];

/** Replaces the known placeholders of a query, such as `{{canary}}`. Spaces within the braces do not matter. */
export const fillQuery = (query: string, words: QueryWords): string =>
  query.replaceAll(PLACEHOLDER, (text, word?: string) => (isWord(word) ? words[word] : text));

/**
 * The length of the name of a Deployment from which its ReplicaSet, with a hash of 10 characters, can have a name of 58 characters.
 * The API server cuts the prefix of a generated name to 58 characters, so the dash before the last 5 characters is then absent.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/storage/names/generate.go
 */
const LONG_NAME = 47;

/**
 * A regular expression for the names of a Deployment's pods, `<deployment>-<hash>-<5 characters>`. The last dash is optional for
 * a name of 47 characters or more, because the API server may cut off the dash. The expression has no `^` and `$`, because PromQL
 * matches the whole value. A dot is written as `[.]` and not as `\.`, because a string of PromQL needs `\\` for one backslash.
 */
export const podsOf = (deployment: string): string =>
  `${deployment.replaceAll('.', '[.]')}-[a-z0-9]+-${deployment.length < LONG_NAME ? '' : '?'}[a-z0-9]{5}`;

/**
 * The URL of an instant query.
 *
 * @param address - the URL of the server, such as `http://prometheus.monitoring.svc:9090`, with its path prefix, if it has one
 */
export const queryUrl = (address: string, query: string): string =>
  `${address.replace(/\/+$/, '')}/api/v1/query?query=${encodeURIComponent(query)}`;
