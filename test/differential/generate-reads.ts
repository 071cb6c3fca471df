import type { RequestOptions, ServerRequest, WatchRequest } from '#lib/apiserver/machinery/request.ts';
import type { Choice } from './choice.ts';
import { group } from './definitions.ts';

const labelSelectors = [
  'tier=web',
  'tier!=web',
  'tier in (web,db)',
  'tier notin (web)',
  'tier',
  '!tier',
  'tier=web,app=x',
  'tier==db',
  'missing',
];

const badLabelSelectors = ['tier=', 'tier in ()', 'tier in web', '=x', 'tier=not valid!', 'a b'];

/** Selects the objects of this sequence: cluster-scoped objects of other sequences must not be visible. */
const ownOnly = 'sequence=<ns>';

interface Selectors {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

const selectors = ({ random, subject }: Choice): Selectors => {
  const labels = random.weighted([
    [6, undefined],
    [4, random.pick(labelSelectors)],
    [0.4, random.pick(badLabelSelectors)],
  ]);
  const own = subject.namespaced ? labels : `${ownOnly}${labels === undefined ? '' : `,${labels}`}`;
  const known = ['metadata.name=a', 'metadata.name!=a', ...(subject.fieldSelectors ?? [])];
  const fields = random.weighted([
    [7, undefined],
    [2.5, random.pick(known)],
    [0.3, random.pick(['spec.unknown=x', 'metadata.labels=x', 'metadata.name', 'metadata.namespace=<ns>'])],
  ]);
  return { ...(own !== undefined && { labelSelector: own }), ...(fields !== undefined && { fieldSelector: fields }) };
};

const listVersion = ({ random, subject }: Choice): RequestOptions => {
  const seen = `<listRv ${subject.resource.plural} ${random.pick(['first', 'last'])}>`;
  return random.weighted<RequestOptions>([
    [10, {}],
    [1, { resourceVersion: '0' }],
    [1, { resourceVersion: seen }],
    [1.5, { resourceVersion: seen, resourceVersionMatch: 'Exact' }],
    [0.7, { resourceVersion: seen, resourceVersionMatch: 'NotOlderThan' }],
    [0.2, { resourceVersion: '0', resourceVersionMatch: 'Exact' }],
    [0.2, { resourceVersion: seen, resourceVersionMatch: 'Sometimes' }],
    [0.2, { resourceVersionMatch: 'Exact' }],
    [0.2, { resourceVersion: 'x' }],
  ]);
};

/** Pages only within a namespace: other pages would also count objects of other sequences. */
const page = ({ random, subject }: Choice): RequestOptions => {
  if (!subject.namespaced) return {};
  return random.weighted<RequestOptions>([
    [6, {}],
    [3, { limit: 1 + random.int(3) }],
    [3, { limit: 1, continue: `<continue ${subject.resource.plural}>` }],
    [0.2, { limit: 1, continue: 'garbage' }],
  ]);
};

/** A list of one namespace, or of all. */
export const listRequest = (choice: Choice): ServerRequest => {
  const { random, where } = choice;
  const paged = page(choice);
  // A token contains its own version, and is valid with the selectors of its list only.
  const version = paged.continue !== undefined && random.chance(0.95) ? {} : listVersion(choice);
  const options = { ...(paged.continue === undefined ? selectors(choice) : {}), ...paged, ...version };
  const everywhere =
    where.namespace !== undefined && paged.limit === undefined && random.chance(0.06)
      ? { resource: where.resource, options: { ...options, fieldSelector: 'metadata.namespace=<ns>' } }
      : undefined;
  return { verb: 'list', ...where, ...(Object.keys(options).length > 0 && { options }), ...everywhere };
};

/** A watch of a namespace from a reasonable version, or sometimes from an unreasonable one. */
export const watchRequest = (choice: Choice): WatchRequest => {
  const { random, where, subject } = choice;
  const { plural } = subject.resource;
  const seen = random.pick(['first', 'last']);
  const start = random.weighted<Partial<WatchRequest>>([
    [3, {}],
    [2, { resourceVersion: '0' }],
    [6, { resourceVersion: `<listRv ${plural} ${seen}>` }],
    [2, { resourceVersion: `<rv ${plural}/${choice.name} ${seen}>` }],
    // Caches of built-in kinds may be as old as the server; those of custom kinds start when their CRDs are
    // created.
    [subject.resource.group === group ? 1 : 0, { resourceVersion: '1' }],
    [3, { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true }],
    [0.5, { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }],
    [0.3, { sendInitialEvents: true, allowWatchBookmarks: true }],
    [0.3, { resourceVersion: 'x' }],
    [0.3, { resourceVersionMatch: 'NotOlderThan' }],
  ]);
  return { ...where, ...selectors(choice), ...start };
};
