import * as fc from 'fast-check';
import { adopt, apply, release, remove } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import { bookPod } from './shelf-kind.ts';

/** A result that a function may return, whatever its type promises. */
export interface Result {
  readonly children: readonly unknown[];
  readonly status: unknown;
  readonly state: unknown;
  readonly [member: string]: unknown;
}

/** One kind of forbidden result. */
export interface Attack {
  readonly name: string;
  /** False for a result that is odd but harmless. */
  readonly isRefused: boolean;
  readonly on: (result: Result) => unknown;
}

type Loose = Record<string, unknown>;

/** A valid result. */
const honest: Result = {
  children: [apply(bookPod('good'))],
  status: { count: 1 },
  state: ready('Fine', 'fine'),
};

const pod = (metadata: Loose, rest: Loose = {}): KubeObject => ({
  ...bookPod('evil'),
  metadata: { name: 'evil', ...metadata },
  ...rest,
});

const withChild = (object: unknown) => (result: Result) => ({
  ...result,
  children: [...result.children, { verb: 'apply', object }],
});

const refused = (name: string, on: Attack['on']): Attack => ({ name, isRefused: true, on });
const child = (name: string, object: unknown): Attack => refused(name, withChild(object));

const cyclic = (): Loose => {
  const self: Loose = {};
  self['self'] = self;
  return self;
};

const deep = (levels: number): Loose => {
  let inner: Loose = {};
  for (let level = 0; level < levels; level += 1) inner = { inner };
  return inner;
};

const throwing = (): Loose =>
  Object.defineProperty({ ...bookPod('evil') }, 'spec', {
    enumerable: true,
    get: () => {
      throw new Error('a getter that throws');
    },
  });

const spec = (extra: Loose): Loose => ({ containers: [{ name: 'book', image: 'busybox' }], ...extra });

/** A foreign controller in the owner references of a child. */
const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'other', uid: 'someone-else', controller: true };

const places: Attack[] = [
  ...['kube-system', 'other', '', '..', '../other', 'Default'].map((namespace) =>
    child(`namespace "${namespace}"`, pod({ namespace })),
  ),
  ...['../other/pods/x', 'a/b', '..', '.', '', 'A', 'a%2fb', 'x'.repeat(254), 'a b', 'a\u0000', '-a'].map((name) =>
    child(`name ${JSON.stringify(name.slice(0, 20))}`, pod({ name })),
  ),
  child('no metadata', { apiVersion: 'v1', kind: 'Pod' }),
];

const kinds: Attack[] = [
  { apiVersion: 'v1', kind: 'Secret' },
  { apiVersion: 'v1', kind: 'Namespace' },
  { apiVersion: 'v1', kind: 'Node' },
  { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding' },
  { apiVersion: 'v2', kind: 'Pod' },
  { apiVersion: 'v1', kind: 'pod' },
  { apiVersion: 'v1/../apps/v1', kind: 'Pod' },
  { apiVersion: '', kind: '' },
  { apiVersion: 'demo.example.com/v1', kind: 'Shelf' },
].map((type) => child(`kind ${type.apiVersion} ${type.kind}`, { ...type, metadata: { name: 'evil' } }));

const metadata: Attack[] = [
  child('an owner of its own choice', pod({ ownerReferences: [owner] })),
  child('an owner whose deletion it blocks', pod({ ownerReferences: [{ ...owner, blockOwnerDeletion: true }] })),
  child('no owners at all', pod({ ownerReferences: [] })),
  child('an ownership label', pod({ labels: { 'demo.example.com/shelf': 'neighbour' } })),
  child('a uid', pod({ uid: 'someone-else' })),
  child('a resourceVersion', pod({ resourceVersion: '1' })),
  child('managedFields', pod({ managedFields: [] })),
  child('a creationTimestamp', pod({ creationTimestamp: '2026-01-01T00:00:00Z' })),
  child('a generation', pod({ generation: 7 })),
];

const values: Attack[] = [
  ...[
    1n,
    new Date(0),
    new Map([['a', 1]]),
    new Set([1]),
    NaN,
    Infinity,
    Symbol('s'),
    () => 1,
    /x/,
    Buffer.from('x'),
  ].map((value) =>
    child(
      `a value of type ${Object.prototype.toString.call(value)} ${typeof value}`,
      pod({}, { spec: spec({ value }) }),
    ),
  ),
  child('a cycle', pod({}, { spec: cyclic() })),
  child('a thousand levels', pod({}, { spec: deep(1000) })),
  child('a getter that throws', throwing()),
  child(
    'a proxy that throws',
    new Proxy(bookPod('evil'), {
      get: () => {
        throw new Error('a trap');
      },
    }),
  ),
  child('__proto__', pod({}, { spec: JSON.parse('{"__proto__": {"polluted": true}}') as Loose })),
  child('2 MiB', pod({}, { spec: spec({ text: 'x'.repeat(2 * 1024 * 1024) }) })),
  child('2 MiB of long characters', pod({}, { spec: spec({ text: '€'.repeat(700_000) }) })),
  child('no object', null),
  child('a text', 'v1 Pod'),
  child('a list', []),
];

const amounts: Attack[] = [
  refused('100,000 children', (result) => ({
    ...result,
    children: Array.from({ length: 100_000 }, (_, index) => apply(bookPod(`evil-${index}`))),
  })),
  refused('the same child twice', (result) => ({ ...result, children: [...result.children, ...result.children] })),
  refused('the same child 20,000 times', (result) => ({
    ...result,
    children: Array.from({ length: 20_000 }, () => apply(bookPod('evil'))),
  })),
  refused('a status of 1 MiB', (result) => ({ ...result, status: { count: 1, note: 'x'.repeat(1024 * 1024) } })),
  refused('1,000 conditions', (result) => ({
    ...result,
    conditions: Array.from({ length: 1000 }, (_, index) => ({
      type: `C${index}`,
      status: 'True',
      reason: 'R',
      message: '',
    })),
  })),
  refused('10,000 events', (result) => ({
    ...result,
    events: Array.from({ length: 10_000 }, () => ({ type: 'Normal', reason: 'R', message: 'm' })),
  })),
  refused('1,000 effects', (result) => ({
    ...result,
    effects: Array.from({ length: 1000 }, (_, index) => ({
      effect: 'dryRun',
      key: `k${index}`,
      object: bookPod('evil'),
    })),
  })),
  refused('a message of a megabyte', (result) => ({ ...result, state: ready('Fine', 'x'.repeat(1_000_000)) })),
];

const foreign = (name: string, rest: Loose = {}): KubeObject => ({
  ...bookPod(name),
  metadata: { name, namespace: 'default', uid: 'uid-of-nobody', ...rest },
});

const verbs: Attack[] = [
  ...['stray', 'controlled', 'neighbour-book', 'nobody'].flatMap((name) => [
    refused(`removes "${name}"`, (result) => ({ ...result, children: [remove(foreign(name), 'Evil')] })),
    refused(`keeps "${name}"`, (result) => ({ ...result, children: [{ verb: 'keep', object: foreign(name) }] })),
    refused(`releases "${name}"`, (result) => ({ ...result, children: [release(foreign(name))] })),
    refused(`adopts "${name}"`, (result) => ({ ...result, children: [adopt(foreign(name))] })),
  ]),
  refused('a verb of its own', (result) => ({ ...result, children: [{ verb: 'exec', object: bookPod('evil') }] })),
  refused('a verb from Object.prototype', (result) => ({
    ...result,
    children: [{ verb: 'constructor', object: bookPod('evil') }],
  })),
  refused('an apply bound to a stranger', (result) => ({
    ...result,
    children: [apply(bookPod('evil'), { ifUnchanged: foreign('stray') })],
  })),
];

const effects: Attack[] = [
  { effect: 'dryRun', key: 'k', object: pod({ namespace: 'other' }) },
  { effect: 'dryRun', key: 'k', object: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } } },
  {
    effect: 'http',
    key: 'k\r\nx: y',
    request: { method: 'GET', url: 'https://a.example' },
    timeoutSeconds: 1,
    retries: 0,
  },
  { effect: 'http', key: 'k', request: { method: 'DELETE', url: 'https://a.example' }, timeoutSeconds: 1, retries: 0 },
  { effect: 'http', key: 'k', request: { method: 'GET', url: 'https://a.example' }, timeoutSeconds: 1e9, retries: 0 },
  {
    effect: 'http',
    key: 'k',
    request: { method: 'GET', url: 'https://a.example' },
    timeoutSeconds: 1,
    retries: Infinity,
  },
  { effect: 'exec', key: 'k' },
].map((effect, index) => refused(`effect ${index}`, (result) => ({ ...result, effects: [effect] })));

const forms: Attack[] = [null, undefined, 7, 'x', [], Promise.resolve({}), new Map(), () => 1].map((value) =>
  refused(`${Object.prototype.toString.call(value)} for a result`, () => value),
);

const throws: Attack[] = [new Error('boom'), 'a text', null, { toString: null }, new Proxy({}, {})].map(
  (thrown, index) =>
    refused(`throws something (${index})`, () => {
      throw thrown;
    }),
);

/** Odd, but for the API server to judge, or harmless. */
const odd: Attack[] = [
  ['a finalizer', pod({ finalizers: ['evil.example.com/stay'] })] as const,
  ['members called constructor', pod({ labels: { constructor: 'x' }, annotations: { toString: 'y' } })] as const,
  ['a foreign label', pod({ labels: { app: 'neighbour' } })] as const,
  ['members of value undefined', pod({ labels: undefined })] as const,
  ['a namespace that is the own', pod({ namespace: 'default' })] as const,
].map(([name, object]) => ({ name, isRefused: false, on: withChild(object) }));

const all = [places, kinds, metadata, values, amounts, verbs, effects, forms, throws, odd].flat();

/** One to three attacks at once; each changes the result of the previous one. */
export const attacks: fc.Arbitrary<readonly Attack[]> = fc.array(fc.constantFrom(...all), {
  minLength: 1,
  maxLength: 3,
});

/** Every single attack, for a test of its own. */
export const everyAttack: readonly Attack[] = all;

const isResult = (value: unknown): value is Result =>
  typeof value === 'object' && value !== null && 'children' in value && Array.isArray(value.children);

/** The result of a function with several attacks at once. */
export const hostileResult = (several: readonly Attack[]): unknown => {
  let result: unknown = honest;
  for (const { on } of several) if (isResult(result)) result = on(result);
  return result;
};
