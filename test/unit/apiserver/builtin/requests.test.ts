import { describe, expect, it } from 'vitest';
import { builtinKinds } from '#lib/apiserver/builtin/builtin-kinds.ts';
import type { RequestOptions, ServerResponse } from '#lib/apiserver/machinery/request.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import { createApiServer } from '#lib/apiserver/server/server.ts';
import type { JsonObject } from '#lib/json.ts';

const { cronJobs, services } = resources;
const events = { group: '', version: 'v1', plural: 'events' };
const namespace = 'default';
const server = () => createApiServer({ kinds: builtinKinds, now: () => Date.UTC(2026, 0, 1) });

const causesOf = ({ code, body }: ServerResponse): readonly unknown[] => {
  const { details } = body as { details?: { causes?: readonly { field: string; message: string }[] } };
  return [code, ...(details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`)];
};

const NAMELESS = 'metadata.name: Required value: name or generateName is required';

describe('eventKind', () => {
  it('lists at most `limit` events for the resource version 0, because no watch cache has events', () => {
    const api = server();
    for (const name of ['a', 'b', 'c']) {
      const involvedObject = { kind: 'Pod', namespace, name };
      api.handle({ verb: 'create', resource: events, namespace, body: { metadata: { name }, involvedObject } });
    }
    const options: RequestOptions = { limit: 2, resourceVersion: '0' };
    const { body } = api.handle({ verb: 'list', resource: events, namespace, options });
    expect(body).toMatchObject({
      items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }],
      metadata: { remainingItemCount: 1 },
    });
  });
});

describe('cronJobKind', () => {
  it('refuses a CronJob without a name', () => {
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox:1' }] } };
    const body = { metadata: { name: '' }, spec: { schedule: '0 * * * *', jobTemplate: { spec: { template } } } };
    expect(causesOf(server().handle({ verb: 'create', resource: cronJobs, namespace, body }))).toEqual([422, NAMELESS]);
  });
});

const ingressResource = (plural: string) => ({ group: 'networking.k8s.io', version: 'v1', plural });

const withClass = (api: ReturnType<typeof server>, name: string, isDefault: string): void => {
  const metadata = { name, annotations: { 'ingressclass.kubernetes.io/is-default-class': isDefault } };
  const body = { metadata, spec: { controller: 'example.com/ingress' } };
  expect(api.handle({ verb: 'create', resource: ingressResource('ingressclasses'), body }).code).toBe(201);
};

describe('ingressKind', () => {
  it('gives a new Ingress without a class the default class', () => {
    const api = server();
    withClass(api, 'a', 'false');
    withClass(api, 'b', 'true');
    const spec = { defaultBackend: { service: { name: 'web', port: { number: 80 } } } };
    const create = { verb: 'create', resource: ingressResource('ingresses'), namespace } as const;
    expect(api.handle({ ...create, body: { metadata: { name: 'x' }, spec } }).body).toMatchObject({
      spec: { ...spec, ingressClassName: 'b' },
    });
    const other = { metadata: { name: 'y' }, spec: { ...spec, ingressClassName: 'a' } };
    expect(api.handle({ ...create, body: other }).body).toMatchObject({ spec: { ingressClassName: 'a' } });
  });
});

const balanced = (more: JsonObject = {}): JsonObject => ({
  metadata: { name: 'web' },
  spec: { type: 'LoadBalancer', ports: [{ port: 80 }], ...more },
});

describe('serviceKind', () => {
  it('allocates no address for a Service without a name in a dry run', () => {
    const body = { metadata: { name: '' }, spec: { ports: [{ port: 80 }] } };
    const create = { verb: 'create', resource: services, namespace, body } as const;
    expect(causesOf(server().handle({ ...create, options: { dryRun: true } }))).toEqual([422, NAMELESS]);
    expect(causesOf(server().handle(create))[1]).toContain('failed to allocate IP');
  });

  it('refuses a change of the class of a load balancer', () => {
    const api = server();
    const created = api.handle({
      verb: 'create',
      resource: services,
      namespace,
      body: balanced({ loadBalancerClass: 'example.com/a' }),
    });
    expect(created.code).toBe(201);
    const patched = api.handle({
      verb: 'patch',
      patchType: 'merge',
      resource: services,
      namespace,
      name: 'web',
      body: { spec: { loadBalancerClass: 'example.com/b' } },
    });
    expect(causesOf(patched)).toEqual([
      422,
      'spec.loadBalancerClass: Invalid value: "example.com/b": may not change once set',
    ]);
  });

  it('refuses the address of a load balancer without a mode', () => {
    const api = server();
    api.handle({ verb: 'create', resource: services, namespace, body: balanced() });
    const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } };
    const updated = api.handle({
      verb: 'update',
      resource: services,
      namespace,
      name: 'web',
      subresource: 'status',
      // The body has another type, so the server adds no default mode.
      body: { metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] }, status },
    });
    expect(causesOf(updated)).toEqual([
      422,
      'status.loadBalancer.ingress[0].ipMode: Required value: must be specified when `ip` is set',
    ]);
  });
});
