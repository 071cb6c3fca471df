import type { JsonObject } from '#lib/json.ts';
import type { Case, Change } from '../case.ts';

const backend = { service: { name: 's', port: { number: 80 } } };
const path = (more: JsonObject = {}): JsonObject => ({ pathType: 'Prefix', path: '/', backend, ...more });
const rule = (...paths: readonly JsonObject[]): JsonObject => ({ host: 'a.example.com', http: { paths } });

const ingress = (
  name: string,
  spec: JsonObject,
  {
    changes = [],
    annotations,
    before,
  }: { changes?: readonly Change[]; annotations?: JsonObject; before?: Case['before'] } = {},
): Case => ({
  name: `ingress: ${name}`,
  kind: 'Ingress',
  object: { metadata: { name: 'i', ...(annotations && { annotations }) }, spec },
  changes,
  ...(before && { before }),
});

const ingressClass = (name: string, spec: JsonObject, changes: readonly Change[] = []): Case => ({
  name: `ingressclass: ${name}`,
  kind: 'IngressClass',
  object: { metadata: { name: 'c' }, spec },
  changes,
});

const status = (...points: readonly JsonObject[]): Change => ({
  subresource: 'status',
  merge: { status: { loadBalancer: { ingress: points } } },
});

/** Ingresses and IngressClasses. */
export const networking: readonly Case[] = [
  ingress(
    'one rule',
    { rules: [rule(path())] },
    {
      changes: [
        { merge: { spec: { ingressClassName: 'nginx' } } },
        { merge: { metadata: { labels: { a: 'b' } } } },
        status({ ip: '10.0.0.1' }, { hostname: 'a.example.com', ports: [{ port: 80, protocol: 'TCP' }] }),
        status({ ip: '10.0.0.01' }, { hostname: 'A' }, { hostname: '10.0.0.1' }, { hostname: '010.0.0.1' }),
        { merge: { spec: { rules: null } } },
      ],
    },
  ),
  ingress('empty', {}),
  ingress('a default backend', {
    defaultBackend: { resource: { apiGroup: 'a.example.com', kind: 'Bucket', name: 'b' } },
  }),
  ingress('wildcards and tls', {
    rules: [{ host: '*.example.com' }, {}],
    tls: [{ hosts: ['*.example.com', 'a.example.com'], secretName: 'tls' }, {}],
    ingressClassName: 'nginx',
  }),
  ingress('wrong hosts', {
    rules: [
      { host: '10.0.0.1' },
      { host: '010.0.0.1' },
      { host: 'A_' },
      { host: 'a.*.com' },
      { host: '::1' },
      { host: 'a', http: { paths: [] } },
    ],
    tls: [{ hosts: ['*', 'B'], secretName: 'A_' }],
    ingressClassName: 'A_',
  }),
  ingress('wrong paths', {
    rules: [
      rule(
        path({ path: 'a' }),
        path({ path: '/a//b/./c/../d%2fe%2F/..' }),
        path({ pathType: 'Exact', path: '/.' }),
        path({ pathType: 'Exact', path: '' }),
        path({ pathType: 'ImplementationSpecific', path: 'x' }),
        path({ pathType: 'ImplementationSpecific', path: '' }),
        path({ pathType: 'Regex' }),
        { path: '/', backend },
      ),
    ],
  }),
  ingress('wrong backends', {
    defaultBackend: {},
    rules: [
      rule(
        path({ backend: { ...backend, resource: { kind: 'K', name: 'n' } } }),
        path({ backend: { resource: { apiGroup: 'A_', kind: 'a/b', name: '..' } } }),
        path({ backend: { resource: { kind: '', name: '' } } }),
        path({ backend: { service: { name: '' } } }),
        path({ backend: { service: { name: 'A.b', port: { name: 'x', number: 1 } } } }),
        path({ backend: { service: { name: '1a', port: { name: 'a--b' } } } }),
        path({ backend: { service: { name: 's', port: { number: 70_000 } } } }),
      ),
    ],
  }),
  ingress('a class by annotation', { rules: [rule(path())] }, { annotations: { 'kubernetes.io/ingress.class': 'x' } }),
  ingress(
    'two classes',
    { rules: [rule(path())], ingressClassName: 'y' },
    {
      annotations: { 'kubernetes.io/ingress.class': 'x' },
    },
  ),
  ingress(
    'the default class',
    { rules: [rule(path())] },
    {
      before: [
        {
          kind: 'IngressClass',
          metadata: { name: 'standard', annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
          spec: { controller: 'example.com/ingress' },
        },
      ],
    },
  ),
  ingressClass('a controller', { controller: 'example.com/ingress' }, [
    { merge: { spec: { parameters: { apiGroup: 'example.com', kind: 'P', name: 'p' } } } },
    { merge: { spec: { controller: 'example.com/other' } } },
  ]),
  ingressClass('parameters of a namespace', {
    controller: 'example.com/ingress',
    parameters: { kind: 'P', name: 'p', scope: 'Namespace', namespace: 'n' },
  }),
  ingressClass('wrong parameters', {
    controller: 'example',
    parameters: { apiGroup: 'A_', kind: 'a/b', name: '', scope: 'X' },
  }),
  ingressClass('a wrong controller', {
    controller: 'A_/b c',
    parameters: { kind: 'P', name: 'p', scope: 'Namespace' },
  }),
  ingressClass('a long controller', {
    controller: `example.com/${'a'.repeat(250)}`,
    parameters: { kind: 'P', name: 'p', scope: 'Cluster', namespace: 'n' },
  }),
  ingressClass('no controller', {}),
];
