import { beforeEach, describe, expect, it } from 'vitest';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ServerRequest } from '#lib/apiserver/machinery/request.ts';
import { createCluster, type VirtualCluster } from './cluster.ts';
import { configMap, ownerOf } from './requests.ts';

const definitions = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
const widgets = { group: 'example.com', version: 'v1', plural: 'widgets' };

const definition: ServerRequest = {
  verb: 'create',
  resource: definitions,
  body: {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  },
};

/** Changes the served versions of the CRD. The last one is the storage version. */
const serve = (...names: readonly string[]): ServerRequest => ({
  verb: 'patch',
  resource: definitions,
  name: 'widgets.example.com',
  patchType: 'merge',
  body: {
    spec: {
      versions: ['v1', 'v2'].map((name) => ({
        name,
        served: names.includes(name),
        storage: name === names.at(-1),
        schema: { openAPIV3Schema: { type: 'object' } },
      })),
    },
  },
});

const widget = (namespace: string): ServerRequest => ({
  verb: 'create',
  resource: widgets,
  namespace,
  body: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } },
});

const removal = (resource: ServerRequest['resource'], name: string, namespace?: string): ServerRequest => ({
  verb: 'delete',
  resource,
  name,
  ...(namespace !== undefined && { namespace }),
});

describe('actors and custom resources', () => {
  let cluster: VirtualCluster;
  let owner: ServerObject;
  beforeEach(() => {
    cluster = createCluster();
    cluster.send(definition);
    owner = cluster.send(widget('default')).body as unknown as ServerObject;
    cluster.send(configMap('child', { ownerReferences: [ownerOf(owner)] }));
    cluster.calm();
  });

  const left = (): readonly string[] =>
    [...cluster.objects('widgets'), ...cluster.objects('configmaps')].map(({ metadata }) => metadata.name);

  it('keep what a custom resource owns, and delete it when that is gone', () => {
    expect(left()).toEqual(['w', 'child']);
    cluster.send(removal(widgets, 'w', 'default'));
    cluster.calm();
    expect(left()).toEqual([]);
  });

  it('delete what custom resources own when their definition goes', () => {
    cluster.send(removal(definitions, 'widgets.example.com'));
    cluster.calm();
    // The kind is no longer served, but the garbage collector has observed the deletion of its objects.
    expect(left()).toEqual([]);
  });

  it('see the objects of a definition that comes again', () => {
    cluster.send(removal(definitions, 'widgets.example.com'));
    cluster.calm();
    cluster.send(definition);
    const again = cluster.send(widget('default')).body as unknown as ServerObject;
    cluster.send(configMap('child', { ownerReferences: [ownerOf(again)] }));
    expect(cluster.calm()).toEqual([]);
    cluster.send(removal(widgets, 'w', 'default'));
    expect(cluster.calm()).toEqual(['garbage collector: delete configmaps default/child']);
  });

  it('judge an owner of a kind that comes later', () => {
    const later = createCluster();
    later.send(configMap('child', { ownerReferences: [ownerOf(owner)] }));
    expect(later.calm()).toEqual([]);
    later.send(definition);
    expect(later.calm()).toEqual(['garbage collector: delete configmaps default/child']);
  });

  it('delete what a custom resource owns in a version that was added to its definition', () => {
    cluster.send(serve('v1', 'v2'));
    const ownerReferences = [{ ...ownerOf(owner), apiVersion: 'example.com/v2' }];
    cluster.send(configMap('later', { ownerReferences }));
    expect(cluster.calm()).toEqual([]);
    cluster.send(removal(widgets, 'w', 'default'));
    cluster.calm();
    expect(left()).toEqual([]);
  });

  it('delete a custom resource whose first version is no longer served, and the custom resources of its definition', () => {
    const parent = cluster.send(configMap('parent')).body as unknown as ServerObject;
    const metadata = { name: 'owned', ownerReferences: [ownerOf(parent)] };
    const body = { apiVersion: 'example.com/v1', kind: 'Widget', metadata };
    cluster.send({ verb: 'create', resource: widgets, namespace: 'default', body });
    cluster.send(serve('v2'));
    cluster.send(removal({ group: '', version: 'v1', plural: 'configmaps' }, 'parent', 'default'));
    expect(cluster.calm()).toEqual(['garbage collector: delete widgets.example.com default/owned']);
    expect(left()).toEqual(['w', 'child']);
    cluster.send(removal(definitions, 'widgets.example.com'));
    cluster.calm();
    expect(left()).toEqual([]);
  });

  it('empty a namespace of custom resources', () => {
    const namespaces = { group: '', version: 'v1', plural: 'namespaces' };
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ending' } };
    cluster.send({ verb: 'create', resource: namespaces, body });
    cluster.send(widget('ending'));
    cluster.send(removal(namespaces, 'ending'));
    cluster.calm();
    expect(cluster.objects('widgets').map(({ metadata }) => metadata.namespace)).toEqual(['default']);
    expect(cluster.objects('namespaces').map(({ metadata }) => metadata.name)).toEqual(['default']);
  });
});
