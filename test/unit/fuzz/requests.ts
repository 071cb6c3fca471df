import * as fc from 'fast-check';
import { usually } from './odd-json.ts';
import { bodiesOf, JSON_PATCH, PROTOBUF } from './request-bodies.ts';
import { type FuzzedKind, fuzzedKinds } from './served-objects.ts';

/** An HTTP request without its credentials. */
export interface FuzzRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** Few names, so that requests meet the objects of earlier ones. */
const names = fc.constantFrom(
  'a',
  'b',
  'kube-root-ca.crt',
  'default',
  'node-1',
  'system:node',
  'A',
  '..',
  '%00',
  'a%2fb',
  'x'.repeat(300),
);
const namespaces = fc.constantFrom('default', 'default', 'default', 'other', 'kube-system', 'A', '%20', '*');
const subresources = fc.constantFrom(
  'status',
  'scale',
  'token',
  'binding',
  'log',
  'exec',
  'eviction',
  'finalize',
  'approval',
  'a/b',
);

const parameter = usually(
  6,
  fc.oneof(
    ...(
      [
        ['limit', ['1', '0', '-1', 'x', '9'.repeat(30)]],
        ['continue', ['a', 'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0', '%']],
        ['resourceVersion', ['0', '1', '-1', 'x', '9'.repeat(30), '1.5']],
        ['resourceVersionMatch', ['Exact', 'NotOlderThan', 'x']],
        [
          'labelSelector',
          ['a', 'a=b', 'a in (b,c)', '!a', 'a in (', ',,', 'a=b=c', 'x'.repeat(300), 'a notin ()', '((('],
        ],
        ['fieldSelector', ['metadata.name=a', 'spec.nodeName!=b', 'x=y', '=', 'metadata.name', ',', 'a=\\']],
        ['dryRun', ['All', 'x', '']],
        ['fieldManager', ['me', '', 'x'.repeat(200), '\u0000']],
        ['fieldValidation', ['Strict', 'Warn', 'Ignore', 'x']],
        ['force', ['true', 'x', '']],
        ['watch', ['0', 'false', '1']],
        ['pretty', ['true']],
        ['timeout', ['1s', 'x', '-5m']],
        ['timeoutSeconds', ['1', 'x', '-1']],
        ['gracePeriodSeconds', ['0', '-1', 'x', '99999999999999999999']],
        ['propagationPolicy', ['Foreground', 'Orphan', 'Background', 'x']],
        ['orphanDependents', ['true', 'x']],
        ['includeObject', ['Object', 'None', 'x']],
        ['sendInitialEvents', ['true', 'x']],
        ['allowWatchBookmarks', ['true']],
      ] as const
    ).map(([name, values]) => fc.constantFrom(...values).map((value) => `${name}=${encodeURIComponent(value)}`)),
  ),
  fc.constantFrom('', '=', '&&', '%', 'watch', 'limit=%zz', '__proto__=1', 'a='.repeat(100)),
);

const queries = usually(2, fc.constant([] as string[]), fc.array(parameter, { maxLength: 3 })).map((all) =>
  all.length === 0 ? '' : `?${all.join('&')}`,
);

const pathsOf = ({ group, plural, versions, scope }: FuzzedKind): fc.Arbitrary<string> =>
  fc
    .record({
      version: usually(20, fc.constantFrom(...versions.map(({ name }) => name)), fc.constantFrom('v9', '', '%')),
      namespace: usually(9, scope === 'Namespaced' ? namespaces : fc.constant(''), fc.constantFrom('', 'default')),
      name: fc.option(usually(6, fc.constantFrom('a', 'b'), names), { nil: undefined, freq: 3 }),
      sub: usually<string | undefined>(4, fc.constant(undefined), subresources),
    })
    .map(({ version, namespace, name, sub }) => {
      const root = group === '' ? ['api', version] : ['apis', group, version];
      const where = namespace === '' ? [] : ['namespaces', namespace];
      const below = name === undefined ? [] : [name, ...(sub === undefined ? [] : [sub])];
      return `/${[...root, ...where, plural, ...below].join('/')}`;
    });

const otherPaths = fc.oneof(
  fc.constantFrom(
    '/',
    '',
    '//',
    '/api',
    '/apis',
    '/api/v1',
    '/apis/apps',
    '/apis/apps/v1',
    '/openapi/v2',
    '/openapi/v3',
    '/version',
    '/openapi/v3/api/v1',
    '/openapi/v3/apis/x',
    '/healthz',
    '/readyz/x',
    '/metrics',
    '/logs',
    '/api/v1/%zz',
    '*',
    '/%',
    '/api/v1/namespaces',
    '/api/v1/namespaces//pods',
    '/api/v1/watch/pods',
    '/apis/__proto__/constructor/toString',
  ),
  fc.webPath().map((path) => `/${path}`),
);

const json = 'application/json';
const patchTypes = [
  JSON_PATCH,
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];
const contentTypes: fc.Arbitrary<string> = fc.constantFrom(
  json,
  json,
  'application/yaml',
  PROTOBUF,
  'application/cbor',
  'text/plain',
  '',
  ';',
  'a/b/c',
  `${json}; charset=x`,
);
const accepts = usually(
  3,
  fc.constant(json),
  fc.constantFrom(
    '*/*',
    'application/yaml',
    'text/html',
    '',
    ';;',
    PROTOBUF,
    `${json};as=Table;v=v1;g=meta.k8s.io`,
    `${json};as=PartialObjectMetadata;v=v1;g=meta.k8s.io`,
    `${json};as=X`,
    `${json};as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,${json}`,
  ),
);
const extras = usually(
  12,
  fc.constant({}),
  fc.constantFrom<Readonly<Record<string, string>>>(
    { 'impersonate-user': 'system:serviceaccount:default:default' },
    { 'impersonate-user': '' },
    { 'impersonate-group': 'a' },
    { 'impersonate-extra-%zz': 'a', 'impersonate-user': 'b' },
    { 'user-agent': '/' },
    { expect: '100-continue' },
  ),
);

const methods = fc.constantFrom(
  'GET',
  'POST',
  'POST',
  'POST',
  'PUT',
  'PUT',
  'PATCH',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'PROPFIND',
);

/** Requests that know the API: mostly to served kinds, with bodies of these kinds, and with mistakes at any place. */
export const fuzzRequests: fc.Arbitrary<FuzzRequest> = fc.tuple(fuzzedKinds, methods).chain(([kind, method]) => {
  const types =
    method === 'PATCH'
      ? usually(9, fc.constantFrom(...patchTypes), contentTypes)
      : usually(3, fc.constant(json), contentTypes);
  return types.chain((type) =>
    fc.record({
      method: fc.constant(method),
      path: fc.tuple(usually(12, pathsOf(kind), otherPaths), queries).map(([path, query]) => path + query),
      headers: fc.tuple(accepts, extras).map(([accept, more]) => ({ accept, 'content-type': type, ...more })),
      body: method === 'GET' || method === 'HEAD' ? fc.constant('') : bodiesOf(kind, method, type),
    }),
  );
});
