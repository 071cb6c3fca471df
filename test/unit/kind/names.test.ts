import { describe, expect, it } from 'vitest';
import { apiVersionOf, namesOf, refOf } from '#lib/kind/names.ts';
import { podSet } from './pod-set.ts';

describe('namesOf()', () => {
  it.each([
    { kind: 'PodSet', plural: 'podsets', reason: 'an s by default' },
    { kind: 'Proxy', plural: 'proxies', reason: 'ies after a consonant and y' },
    { kind: 'Gateway', plural: 'gateways', reason: 'an s after a vowel and y' },
    { kind: 'Ingress', plural: 'ingresses', reason: 'es after s' },
    { kind: 'Switch', plural: 'switches', reason: 'es after ch' },
    { kind: 'Mesh', plural: 'meshes', reason: 'es after sh' },
    { kind: 'Box', plural: 'boxes', reason: 'es after x' },
  ])('namesOf() makes $plural of $kind: $reason', ({ kind, plural }) => {
    expect(namesOf({ group: 'a.example.com', kind }).plural).toBe(plural);
  });

  it('namesOf() derives the other names', () => {
    expect(namesOf(podSet)).toEqual({
      kind: 'PodSet',
      listKind: 'PodSetList',
      plural: 'podsets',
      singular: 'podset',
      shortNames: ['pset'],
      crdName: 'podsets.app.example.com',
    });
  });

  it('namesOf() takes a plural that is given', () => {
    expect(namesOf({ ...podSet, plural: 'podsetz' }).crdName).toBe('podsetz.app.example.com');
  });
});

describe('refOf()', () => {
  it('refOf() makes a namespaced reference by default', () => {
    expect(refOf(podSet)).toEqual({
      apiVersion: apiVersionOf(podSet),
      kind: 'PodSet',
      plural: 'podsets',
      scope: 'Namespaced',
    });
  });

  it('refOf() keeps the scope', () => {
    expect(refOf({ ...podSet, scope: 'Cluster' }).scope).toBe('Cluster');
  });
});
