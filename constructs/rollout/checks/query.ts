/** The placeholders of a query. */
export interface QueryWords {
  /** Version of the revision that is rolled out, and of the stable one; a first rollout has no stable one: empty. */
  readonly canary: string;
  readonly stable: string;
  /** Their hashes, as pods carry them in a label. */
  readonly canaryHash: string;
  readonly stableHash: string;
  /** Regular expressions that match the names of their pods. */
  readonly canaryPods: string;
  readonly stablePods: string;
  /** Index of the step, from 0. */
  readonly step: string;
  readonly percent: string;
  readonly name: string;
  readonly namespace: string;
}

/** All of {@link QueryWords}, sorted. */
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

/** In words, for messages. */
export const knownWords = WORDS.map((word) => `{{${word}}}`).join(', ');

const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g;

const isWord = (text: string | undefined): text is keyof QueryWords => WORDS.some((word) => word === text);

/** The first unknown placeholder of a query, as it is written; `undefined` without one. */
export const unknownWord = (query: string): string | undefined =>
  [...query.matchAll(PLACEHOLDER)].find(([, word]) => !isWord(word))?.[0];

/** Replaces `{{canary}}` and the other words of a query; spaces within the braces do not matter. */
export const fillQuery = (query: string, words: QueryWords): string =>
  query.replaceAll(PLACEHOLDER, (text, word: string) => (isWord(word) ? words[word] : text));

/**
 * A regular expression for the names of a Deployment's pods, `<deployment>-<hash>-<5 characters>`. PromQL anchors regular
 * expressions, and reads `\\` in a string as one backslash; `[.]` needs no escape.
 */
export const podsOf = (deployment: string): string => `${deployment.replaceAll('.', '[.]')}-[a-z0-9]+-[a-z0-9]{5}`;

/**
 * The URL of an instant query.
 *
 * @param address - of the server, such as `http://prometheus.monitoring.svc:9090`, with the path that it is served under, if any
 */
export const queryUrl = (address: string, query: string): string =>
  `${address.replace(/\/+$/, '')}/api/v1/query?query=${encodeURIComponent(query)}`;
