import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkRules } from '#constructs/check-rules.ts';
import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { policyRules } from '#lib/desired/rights/policy-rules.ts';
import { InvalidDefinitionError } from '#lib/errors.ts';
import { canonicalJson, type Json, type JsonObject } from '#lib/json.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import { readSchema } from '#lib/kind/json-schema/json-schema.ts';
import { apiVersionOf, namesOf } from '#lib/kind/names.ts';
import type { KindShape } from '#lib/kind/shape.ts';
import { casesNow } from '#test/cases.ts';
import { applyObjects, type OwnOperator, runOwnOperator } from '#test/cluster/own-operator.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { randomShapes } from '#test/unit/kind/random/kinds.ts';
import { validFor } from '#test/unit/kinds/valid-arbitrary.ts';

const NAME = 'random-kinds';

/** A kind, and for each of its resources the spec and the status that its function returns. */
interface Case {
  readonly shape: KindShape;
  readonly resources: readonly { readonly name: string; readonly spec: unknown; readonly status: unknown }[];
}

const compiles = (shape: KindShape): boolean => {
  try {
    return checkRules(compileCrd(shape)).length === 0;
  } catch (error) {
    if (error instanceof InvalidDefinitionError) return false;
    throw error;
  }
};

const valuesOf = (schema: unknown): fc.Arbitrary<unknown> => validFor(readSchema(schema as JsonObject));

const kindCases = randomShapes
  .map((shape) => ({
    ...shape,
    group: 'rand.example.com',
    version: 'v1',
    scope: 'Namespaced' as const,
    shortNames: [],
  }))
  .filter(compiles)
  .chain((shape) =>
    fc
      .array(fc.record({ spec: valuesOf(shape.spec), status: valuesOf(shape.status) }), { minLength: 3, maxLength: 3 })
      .map((values): Case => ({ shape, resources: values.map((each, index) => ({ name: `r${index}`, ...each })) })),
  );

/** A kind whose function copies the spec to a ConfigMap, and returns the status of its resource. */
const definitionOf = ({ shape, resources }: Case): AnyKindDefinition =>
  defineKind({
    ...shape,
    owns: [ConfigMap],
    desired: ({ resource }) => {
      const { name } = resource.metadata;
      const data = { spec: canonicalJson(resource.spec) };
      return {
        children: [
          apply({
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name: `${shape.kind.toLowerCase()}-${name}` },
            data,
          }),
        ],
        status: resources.find((each) => each.name === name)?.status,
        state: ready('Copied', 'the spec is in a ConfigMap'),
      };
    },
  });

let plane: ControlPlane;
let operator: OwnOperator;
let cases: readonly Case[];

beforeAll(async () => {
  const { first, count } = casesNow({ usual: 8, soak: 40 });
  cases = fc.sample(kindCases, { seed: first, numRuns: count }).map(({ shape, resources }, index) => ({
    shape: { ...shape, kind: `Kind${index}`, plural: `kind${index}s` },
    resources,
  }));
  const kinds = cases.map(definitionOf);
  plane = await startControlPlane({ controllers: false, scheduler: false, kwok: false });
  const metadata = { name: NAME, namespace: NAME };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: NAME };
  const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: NAME } };
  await applyObjects(
    plane,
    ...cases.map(({ shape }) => compileCrd(shape)),
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAME } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { ...rbac, kind: 'ClusterRole', rules: policyRules(kinds) },
    { ...rbac, kind: 'ClusterRoleBinding', roleRef, subjects: [{ kind: 'ServiceAccount', ...metadata }] },
  );
  await plane.kubectl(['wait', '--for=condition=Established', '--timeout=180s', 'crd', '--all']);
  operator = await runOwnOperator(plane, kinds, { name: NAME });
}, 900_000);

afterAll(async () => {
  await operator?.stop();
  await plane?.stop();
});

interface Stored {
  readonly spec: unknown;
  readonly status?: { readonly [member: string]: unknown; readonly conditions?: readonly Condition[] };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

const collectionOf = ({ shape }: Case): string =>
  `/apis/${apiVersionOf(shape)}/namespaces/default/${namesOf(shape).plural}`;

/** Creates the resources of a case. @returns the names of those that the server accepts */
const created = async (one: Case): Promise<readonly string[]> => {
  const identity = { apiVersion: apiVersionOf(one.shape), kind: one.shape.kind };
  const verdicts = one.resources.map(async ({ name, spec }) => {
    const { status } = await plane.request('POST', collectionOf(one), { ...identity, metadata: { name }, spec });
    return status === 201 ? [name] : [];
  });
  return (await Promise.all(verdicts)).flat();
};

const conditionOf = ({ status }: Stored, type: string): Condition | undefined =>
  status?.conditions?.find((each) => each.type === type);

/** Waits until the loop has decided about a resource. */
const decided = async (one: Case, name: string): Promise<Stored> => {
  let stored: Stored = { spec: undefined };
  await waitFor(`a decision about ${one.shape.kind} ${name}`, async () => {
    stored = (await plane.request<Stored>('GET', `${collectionOf(one)}/${name}`)).body;
    return conditionOf(stored, 'Ready')?.status === 'True' || conditionOf(stored, 'Stalled')?.status === 'True';
  });
  return stored;
};

const expectReason = (stored: Stored): void =>
  expect(conditionOf(stored, 'Stalled')).toMatchObject({
    reason: 'InvalidDesired',
    message: expect.stringMatching(/.{20,}/) as string,
  });

/** Expects that a rule of the schema refuses the status. Valid random values ignore such rules. */
const expectRule = ({ shape }: Case, impaired: Condition): void => {
  expect(canonicalJson(shape.status)).toContain('"x-kubernetes-validations"');
  expect(impaired).toMatchObject({ reason: 'Invalid', message: expect.stringMatching(/status\.\S+: /) as string });
};

/** Expects the status that the function returned, or the rule that refuses it, and the child. */
const expectStored = async (one: Case, name: string, stored: Stored): Promise<void> => {
  const wanted = one.resources.find((each) => each.name === name)?.status;
  const impaired = conditionOf(stored, 'StatusImpaired');
  if (impaired) expectRule(one, impaired);
  else expect(stored.status).toMatchObject(wanted as object);
  const child = `/api/v1/namespaces/default/configmaps/${one.shape.kind.toLowerCase()}-${name}`;
  const { body } = await plane.request<{ readonly data: { readonly spec: string } }>('GET', child);
  expect(JSON.parse(body.data.spec) as Json).toEqual(stored.spec);
};

describe('random kinds', () => {
  it('the loop of random kinds stores every status and child that the schemas allow, or reports the reason in a condition', async () => {
    const tally = { stored: 0, impaired: 0, stalled: 0 };
    for (const one of cases) {
      for (const name of await created(one)) {
        const stored = await decided(one, name);
        const isReady = conditionOf(stored, 'Ready')?.status === 'True';
        const isImpaired = conditionOf(stored, 'StatusImpaired') !== undefined;
        tally[isImpaired ? 'impaired' : isReady ? 'stored' : 'stalled'] += 1;
        await (isReady ? expectStored(one, name, stored) : expectReason(stored));
      }
    }
    expect(tally.stored).toBeGreaterThan(cases.length);
    expect(await operator.forbidden()).toEqual([]);
  });
});
