/** The reason of each verb on a resource, and the suites in which the loop used the verbs on a real API server. */
export interface Reasons {
  readonly verbs: Readonly<Record<string, string>>;
  readonly shownBy: readonly string[];
}

const RIGHTS = 'test/cluster/rights.test.ts';
const REQUESTS = 'test/cluster/requests.test.ts';

/** Rights on a resource itself. */
export const OWN: Reasons = {
  verbs: {
    get: 'a live get when a status conflicts with a foreign write',
    list: 'the cache, where the server has no watch-lists',
    watch: 'the cache',
  },
  shownBy: [RIGHTS, REQUESTS],
};

/** Rights on a resource whose kind has a `finalize` function. */
export const FINALIZED: Reasons = {
  verbs: { ...OWN.verbs, patch: 'its finalizer comes and goes' },
  shownBy: [RIGHTS],
};

/** Rights on the status of a resource. */
export const STATUS: Reasons = { verbs: { patch: 'the status is merged' }, shownBy: [RIGHTS, REQUESTS] };

/**
 * Rights on the finalizers of a resource with children. No request uses them; only the refusal without them shows the
 * need.
 */
export const FINALIZERS: Reasons = {
  verbs: { update: 'OwnerReferencesPermissionEnforcement demands it of a client that makes children' },
  shownBy: [RIGHTS],
};

/** Rights on an owned kind. */
export const CHILD: Reasons = {
  verbs: {
    create: 'children are made',
    delete: 'children are removed and pruned',
    get: 'a live get of the object that has a wanted name',
    list: 'the cache, where the server has no watch-lists',
    patch: 'children are applied, adopted and released',
    watch: 'the cache',
  },
  shownBy: [RIGHTS],
};

/** Rights on a related kind, and on quotas where pods are created: refused writes are retried when these change. */
export const READ: Reasons = {
  verbs: { list: 'the cache, where the server has no watch-lists', watch: 'the cache' },
  shownBy: [RIGHTS, REQUESTS],
};

/** Rights on events. */
export const EVENTS: Reasons = {
  verbs: { create: 'an event is reported', patch: 'an event that comes again is counted' },
  shownBy: [RIGHTS, REQUESTS, 'test/cluster/scope.test.ts'],
};

/** Rights on reviews, for metrics with access control. */
export const METRICS_REVIEWS: Reasons = {
  verbs: { create: 'whose token a scraper sends, and whether that user may read /metrics' },
  shownBy: ['test/cluster/kube-client.test.ts', 'test/unit/embedded/metrics-authentication.test.ts'],
};

/** Rights on the Lease of the operator. */
export const LEASE: Reasons = {
  verbs: {
    create: 'the first leader makes it, by an apply',
    get: 'the leader, and the end of its lease',
    patch: 'the leader renews it and gives it back',
  },
  shownBy: [RIGHTS, REQUESTS],
};

/** Rights on the Secrets that effects name. */
export const EFFECT_SECRETS: Reasons = {
  verbs: { get: 'the credentials of one call, never a list of Secrets' },
  shownBy: ['test/cluster/effects.test.ts'],
};

/** Rights on the ConfigMaps that effects name. */
export const EFFECT_AUTHORITIES: Reasons = {
  verbs: { get: 'the certificates that may vouch for the server of one call, never a list of ConfigMaps' },
  shownBy: ['test/cluster/effects.test.ts'],
};

/** Rights on the Secret with the certificate of the conversion webhook. */
export const CERTIFICATE: Reasons = {
  verbs: {
    create: 'the first replica makes it, by an apply',
    get: 'the others take what is there',
    patch: 'it is renewed',
  },
  shownBy: ['test/cluster/versions.test.ts'],
};

/** Rights on the CRDs whose versions are converted. */
export const CONVERTED: Reasons = {
  verbs: { get: 'the CA that the definition trusts', patch: 'the authority is written there' },
  shownBy: ['test/cluster/versions.test.ts'],
};

/** Rights of users with the cluster role `view`. */
export const VIEWERS: Reasons = {
  verbs: { get: 'reading one', list: 'reading all', watch: 'reading on' },
  shownBy: ['test/cluster/hardening.test.ts'],
};

/** Rights of users with the cluster role `edit`; the same as that role has on built-in kinds. */
export const EDITORS: Reasons = {
  verbs: {
    create: 'kubectl create, and apply',
    delete: 'kubectl delete of one',
    deletecollection: 'the deletion of all',
    patch: 'kubectl apply and edit',
    update: 'kubectl replace',
  },
  shownBy: ['test/cluster/hardening.test.ts'],
};
