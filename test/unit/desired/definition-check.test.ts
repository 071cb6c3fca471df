import { describe, expect, it } from 'vitest';
import { assertConsistent } from '#lib/desired/check/definition-check.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ConfigurationError } from '#lib/errors.ts';
import { ConfigMap, type KindRef, Pod, reading } from '#lib/kind/handles/reference.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';

const Node: KindRef = { apiVersion: 'v1', kind: 'Node', plural: 'nodes', scope: 'Cluster' };

describe('assertConsistent()', () => {
  it.each<{ definition: AnyKindDefinition; reason: string }>([
    { definition: shelf, reason: 'it is namespaced and owns pods' },
    {
      definition: { ...shelf, scope: 'Cluster', owns: [Node, Pod] },
      reason: 'it is cluster-scoped and owns both sorts',
    },
    { definition: { ...shelf, reads: [Node] }, reason: 'it is namespaced and reads a cluster-scoped kind' },
    { definition: { ...shelf, owns: [Pod], reads: [Pod] }, reason: 'it owns and reads the same kind' },
  ])('assertConsistent() accepts a definition when $reason', ({ definition }) => {
    expect(() => assertConsistent(definition)).not.toThrow();
  });

  it.each<{ definition: AnyKindDefinition; message: string }>([
    { definition: { ...shelf, owns: [Node] }, message: 'it is namespaced and owns nodes, which are cluster-scoped' },
    { definition: { ...shelf, owns: [Pod, reading(Pod, ['spec'])] }, message: 'owns names pods twice' },
    { definition: { ...shelf, reads: [ConfigMap, ConfigMap] }, message: 'reads names configmaps twice' },
    {
      definition: { ...shelf, owns: undefined } as unknown as AnyKindDefinition,
      message: 'owns must be a list of handles; check the imports',
    },
    {
      definition: { ...shelf, reads: [Pod, undefined] } as unknown as AnyKindDefinition,
      message: 'reads must be a list of handles; check the imports',
    },
  ])('assertConsistent() throws ConfigurationError when $message', ({ definition, message }) => {
    expect(() => assertConsistent(definition)).toThrow(ConfigurationError);
    expect(() => assertConsistent(definition)).toThrow(`Cannot run kind "Shelf": ${message}`);
  });
});
