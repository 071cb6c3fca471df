import * as fc from 'fast-check';

const HUGE = 'x'.repeat(300_000);

/** Values that users and programs write into a number field; the last few are valid. */
const replicas: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(-1, 1e9, 2 ** 53, 1.5, '3', 'NaN', null, true, [], {}, [3], { replicas: 3 }, HUGE),
  fc.constantFrom(0, 1, 2),
);

/** Unknown fields, some of which have a meaning elsewhere. */
const strange: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc.dictionary(
  fc.constantFrom('template', 'namespace', 'serviceAccountName', 'constructor', 'toString', '$ref', 'a/../b', ''),
  fc.constantFrom<unknown>(
    'kube-system',
    {
      spec: { hostNetwork: true, containers: [{ name: 'evil', image: 'evil', securityContext: { privileged: true } }] },
    },
    { __proto__: null, polluted: true },
    [[[[]]]],
    null,
  ),
  { maxKeys: 3 },
);

const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'other', uid: 'someone-else' };

/** Metadata with false claims: up to two members, since the server refuses most of them. */
const metadata: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc
  .array(
    fc.constantFrom<Readonly<Record<string, unknown>>>(
      { namespace: 'kube-system' },
      { namespace: 'other' },
      { namespace: '..' },
      { labels: { 'app.example.com/podset': 'neighbour' } },
      { labels: { app: 'stray', constructor: 'x' } },
      { labels: [] },
      { annotations: { 'cdk8s-reconcile': HUGE } },
      { annotations: { 'kubectl.kubernetes.io/x': '{"a":' } },
      { ownerReferences: [owner] },
      { ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }] },
      { ownerReferences: [{}] },
      { finalizers: ['evil.example.com/stay'] },
      { finalizers: ['evil'] },
      { uid: 'someone-else' },
      { resourceVersion: 'x' },
      { deletionTimestamp: '2026-01-01T00:00:00Z' },
      { generation: 99 },
    ),
    { maxLength: 2 },
  )
  .map((members) => Object.assign({}, ...members) as Readonly<Record<string, unknown>>);

const status: fc.Arbitrary<unknown> = fc.constantFrom<unknown>(
  undefined,
  { replicas: -7, podNames: ['stray', 'controlled'], selector: 'x=y' },
  { conditions: [{ type: 'Ready', status: 'True' }] },
  HUGE,
);

/** A PodSet from a user, without its name. */
export interface HostilePodSet {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

/** Invalid and malicious PodSets, most of which the API server refuses. */
export const hostilePodSets: fc.Arbitrary<HostilePodSet> = fc
  .record({ replicas: fc.option(replicas, { nil: undefined }), strange, metadata, status })
  .map(({ replicas: number, strange: more, ...rest }) => ({ ...rest, spec: { replicas: number, ...more } }));
