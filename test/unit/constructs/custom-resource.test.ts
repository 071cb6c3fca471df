import { App, Chart, JsonPatch, Lazy } from 'cdk8s';
import { describe, expect, it } from 'vitest';
import { PodSet } from '#constructs/pod-set/index.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import { observationOf } from '#lib/desired/observe/observation-of.ts';
import { InvalidResourceError } from '#lib/errors.ts';

type PodSetProps = ConstructorParameters<typeof PodSet>[2];

const chart = (): Chart => new Chart(new App(), 'app');

/** Props as a caller without a type checker passes them. */
const untyped = (props: object): PodSetProps => props as PodSetProps;

const problemOf = (act: () => unknown): InvalidResourceError => {
  try {
    act();
  } catch (error) {
    if (error instanceof InvalidResourceError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
};

const refused = [
  { props: { spec: { replicas: -1 } }, path: 'spec.replicas', value: -1, allowed: '>= 0', reason: 'below the minimum' },
  {
    props: { spec: { replicas: 10_001 } },
    path: 'spec.replicas',
    value: 10_001,
    allowed: '10000',
    reason: 'above the maximum',
  },
  {
    props: { spec: { replicas: '3' } },
    path: 'spec.replicas',
    value: '3',
    allowed: 'whole number',
    reason: 'a string',
  },
  {
    props: { spec: { replicas: 1.5 } },
    path: 'spec.replicas',
    value: 1.5,
    allowed: 'whole number',
    reason: 'not whole',
  },
  { props: { spec: { size: 3 } }, path: 'spec.size', value: 3, allowed: 'replicas', reason: 'an unknown field' },
  { props: {}, path: 'spec', value: undefined, allowed: 'required', reason: 'missing' },
  {
    props: { metadata: { name: 'a'.repeat(300) }, spec: {} },
    path: 'metadata.name',
    value: 'a'.repeat(300),
    allowed: 'at most 57',
    reason: 'too long',
  },
  {
    props: { metadata: { name: 'Web' }, spec: {} },
    path: 'metadata.name',
    value: 'Web',
    allowed: 'lower-case',
    reason: 'upper case',
  },
];

describe('CustomResource', () => {
  it.each(refused)(
    'CustomResource refuses $path when it is $reason, with construct path, value and what is allowed',
    (row) => {
      const { message, issues } = problemOf(() => new PodSet(chart(), 'web', untyped(row.props)));
      expect(message).toContain('construct path "app/web"');
      expect(message).toContain(row.allowed);
      expect(issues).toHaveLength(1);
      expect(issues[0]).toMatchObject({ path: row.path });
      expect(issues[0]?.value).toEqual(row.value);
    },
  );

  it('CustomResource renders what was given, and nothing that the API server fills in', () => {
    const scope = chart();
    new PodSet(scope, 'web', { metadata: { name: 'web' }, spec: {} });
    expect(scope.toJson()).toEqual([
      { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', metadata: { name: 'web' }, spec: {} },
    ]);
  });

  it('CustomResource lets cdk8s choose a name that fits', () => {
    const scope = chart();
    new PodSet(scope, 'web', { spec: { replicas: 2 } });
    expect((scope.toJson() as { metadata: { name: string } }[])[0]?.metadata.name).toMatch(/^app-web-[0-9a-z]{8}$/);
  });

  it('CustomResource accepts a token and takes its value when it renders', () => {
    const scope = chart();
    new PodSet(scope, 'web', untyped({ spec: { replicas: Lazy.any({ produce: () => 4 }) } }));
    expect(scope.toJson()).toMatchObject([{ spec: { replicas: 4 } }]);
  });

  it('CustomResource refuses the value of a token when it renders', () => {
    const scope = chart();
    new PodSet(scope, 'web', untyped({ spec: { replicas: Lazy.any({ produce: () => -4 }) } }));
    expect(problemOf(() => scope.toJson()).issues).toMatchObject([{ path: 'spec.replicas', value: -4 }]);
  });

  it('CustomResource refuses what a JSON patch made of it', () => {
    const scope = chart();
    new PodSet(scope, 'web', { spec: {} }).addJsonPatch(JsonPatch.add('/spec/size', 3));
    expect(problemOf(() => scope.toJson()).issues).toMatchObject([{ path: 'spec.size' }]);
  });

  it('CustomResource carries its definition, its function and its GVK', () => {
    expect(PodSet.definition).toBe(podSet);
    expect(PodSet.GVK).toEqual({ apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet' });
    const { children } = PodSet.desired(observationOf(podSet, { spec: { replicas: 2 } }));
    expect(children.map(({ verb }) => verb)).toEqual(['apply', 'apply']);
    expect(PodSet.manifest({ spec: { replicas: 1 } })).toEqual({ ...PodSet.GVK, spec: { replicas: 1 } });
  });
});
