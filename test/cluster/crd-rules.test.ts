import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kinds } from '#apps/kinds.ts';
import { checkRules } from '#constructs/check-rules.ts';
import { InvalidDefinitionError, type Issue } from '#lib/errors.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import { applyDefaults } from '#lib/kind/instance/defaults.ts';
import { apiVersionOf, namesOf } from '#lib/kind/names.ts';
import type { KindShape } from '#lib/kind/shape.ts';
import { casesNow } from '#test/cases.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { ControlPlaneError } from '#test/control-plane/error.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { kubernetesMinor } from '#test/control-plane/recipe.ts';
import { runs } from '#test/properties.ts';
import { podSet } from '#test/unit/kind/pod-set.ts';
import { randomShapes } from '#test/unit/kind/random/kinds.ts';
import { mutantsOf } from '#test/unit/kind/random/mutants.ts';
import { ACCEPTED_SPECS, probe, REFUSED_SPECS, resourceOf } from '#test/unit/kind/resource-cases.ts';
import { ruled as withRule } from '#test/unit/kind/rule-cases/rule-case.ts';
import { baseShape, RULE_CASES } from '#test/unit/kind/rule-cases.ts';
import { ACCEPTED_BY_RULES, REFUSED_BY_RULES, ruled } from '#test/unit/kind/ruled-cases.ts';
import { uncheckedCrd } from '#test/unit/kind/unchecked-crd.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Nothing is stored: the server only validates. */
const DRY_RUN = `${DEFINITIONS}?dryRun=All`;

interface Refusal {
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly field?: string }[] };
}

const shapeOf = (patch: Partial<KindShape>): KindShape => ({ ...baseShape, ...patch });
const identityOf = (shape: KindShape) => ({ apiVersion: apiVersionOf(shape), kind: shape.kind });
const collectionOf = (shape: KindShape) => `/apis/${apiVersionOf(shape)}/namespaces/default/${namesOf(shape).plural}`;
const named = (length: number) => ({ metadata: { name: 'a'.repeat(length) }, spec: {} });
/** Number of random kinds; twenty times as many in the soak. */
const RANDOM_KINDS = 40;
/** Mistakes in definitions. The server refuses more than half of them. */
const SLIPS = casesNow({ usual: 80, soak: 1600 }).count;

const compilerIssues = (shape: KindShape): readonly Issue[] => {
  try {
    return checkRules(compileCrd(shape));
  } catch (error) {
    if (error instanceof InvalidDefinitionError) return error.issues;
    throw error;
  }
};

/**
 * Some invalid CRDs make the server close the connection. The request is repeated, to exclude a stale connection
 * as the cause.
 */
const asRefusal = (error: unknown) => {
  if (error instanceof ControlPlaneError && error.code === 'REQUEST_FAILED')
    return { status: 0, message: error.message };
  throw error;
};

/** The server of 1.30 refuses the bare names of fields that are words of CEL, too. */
const isOurs = ({ ours, rule }: { readonly ours?: true; readonly rule?: string }): boolean =>
  ours === true && !(rule === 'cel-reserved-name' && kubernetesMinor() === '1.30');

describe('definitions and values, judged by a real API server', () => {
  let plane: ControlPlane;

  beforeAll(async () => {
    plane = await startControlPlane({ controllers: false, scheduler: false, kwok: false, audit: false });
  }, 900_000);
  afterAll(() => plane.stop());

  const verdictOn = async (crd: object) => {
    const { status, body } = await plane.request<{ message?: string }>('POST', DRY_RUN, crd);
    return { status, message: body.message };
  };
  const shared = RULE_CASES.filter((row) => !isOurs(row));

  it.each(shared)('the server refuses what $rule refuses: $reason', async ({ refused }) => {
    const { status } = await verdictOn(uncheckedCrd(shapeOf(refused)));
    expect([400, 422]).toContain(status);
  });

  it.each(RULE_CASES.filter(isOurs))('the server accepts what only we refuse, $rule: $reason', async ({ refused }) => {
    expect(await verdictOn(uncheckedCrd(shapeOf(refused)))).toMatchObject({ status: 201 });
  });

  it.each(RULE_CASES)('the server accepts what $rule accepts: $reason', async ({ accepted }) => {
    expect(await verdictOn(compileCrd(shapeOf(accepted)))).toMatchObject({ status: 201 });
  });

  it('the server accepts a kind with everything that a definition can have', async () => {
    expect(await verdictOn(compileCrd(podSet))).toMatchObject({ status: 201 });
  });

  it('the server accepts rules on every level of a kind', async () => {
    expect(await verdictOn(compileCrd(ruled))).toMatchObject({ status: 201 });
  });

  it('the server and synth accept a rule with optional fields, which only the server can evaluate', async () => {
    const definition = compileCrd(shapeOf(withRule({ rule: 'self.?b.orValue(1) > 0' })));
    expect(checkRules(definition)).toEqual([]);
    expect(await verdictOn(definition)).toMatchObject({ status: 201 });
  });

  it('the server accepts random kinds that the compiler accepts', async () => {
    const shapes = fc
      .sample(randomShapes, runs(RANDOM_KINDS) * 4)
      .filter((shape) => compilerIssues(shape).length === 0);
    expect(shapes.length).toBeGreaterThanOrEqual(runs(RANDOM_KINDS));
    for (const shape of shapes.slice(0, runs(RANDOM_KINDS))) {
      const { status, message } = await verdictOn(compileCrd(shape));
      expect({ status, message, spec: JSON.stringify(shape.spec) }).toMatchObject({ status: 201 });
    }
  });

  it('the compiler refuses the slips that the server refuses', async () => {
    let refused = 0;
    const missed: unknown[] = [];
    for (const { slip, shape } of fc.sample(mutantsOf([...kinds, podSet, ruled]), SLIPS)) {
      const definition = uncheckedCrd(shape);
      const verdict = verdictOn(definition).catch(() => verdictOn(definition));
      const { status, message } = await verdict.catch(asRefusal);
      if (status === 201) continue;
      refused += 1;
      if (compilerIssues(shape).length === 0) missed.push({ slip, kind: shape.kind, message });
    }
    expect(missed).toEqual([]);
    expect(refused).toBeGreaterThanOrEqual(SLIPS / 2);
  });

  describe('values', () => {
    const collection = collectionOf(probe);
    const identity = identityOf(probe);

    beforeAll(async () => {
      for (const shape of [probe, ruled]) {
        await plane.request('POST', DEFINITIONS, compileCrd(shape));
        const isServed = async () => (await plane.request('GET', collectionOf(shape))).status === 200;
        await waitFor('the kind to be served', isServed);
      }
    });

    /** Strict validation makes the server refuse unknown fields instead of dropping them. */
    const verdictOnValue = async (object: object, shape: KindShape = probe) => {
      const path = `${collectionOf(shape)}?dryRun=All&fieldValidation=Strict`;
      const body = { ...identityOf(shape), ...object };
      const answer = await plane.request<Refusal>('POST', path, body);
      return { status: answer.status, message: answer.body.message, details: answer.body.details };
    };

    it.each(REFUSED_SPECS.filter((row) => !isOurs(row)))('the server refuses $path, too: $reason', async ({ spec }) => {
      const { status } = await verdictOnValue(resourceOf(spec));
      expect([400, 422]).toContain(status);
    });

    it.each(ACCEPTED_SPECS)('the server accepts, too: $reason', async ({ spec }) => {
      expect(await verdictOnValue(resourceOf(spec))).toMatchObject({ status: 201 });
    });

    it.each(REFUSED_BY_RULES)('the server refuses what breaks $reason, too', async ({ spec, path, message }) => {
      expect(await verdictOnValue(resourceOf(spec), ruled)).toMatchObject({
        status: 422,
        message: expect.stringContaining(message),
        details: { causes: [{ field: path || '<nil>' }] },
      });
    });

    it.each(ACCEPTED_BY_RULES)('the server accepts what keeps all rules, too: $reason', async ({ spec }) => {
      expect(await verdictOnValue(resourceOf(spec), ruled)).toMatchObject({ status: 201 });
    });

    it('the server refuses a name with dots where the kind wants a label', async () => {
      const object = { metadata: { name: 'web.v1' }, spec: {} };
      expect(await verdictOnValue(object, ruled)).toMatchObject({ status: 422 });
      expect(await verdictOnValue(object)).toMatchObject({ status: 201 });
    });

    it('the server refuses a name that is longer than the kind allows', async () => {
      expect(await verdictOnValue(named(probe.name.maxLength))).toMatchObject({ status: 201 });
      expect(await verdictOnValue(named(probe.name.maxLength + 1))).toMatchObject({ status: 422 });
    });

    it('the server fills in the defaults that applyDefaults() fills in', async () => {
      const spec = { ports: [{ name: 'a' }], count: null, template: { image: 'a' } };
      const { body } = await plane.request<{ spec: unknown }>('POST', `${collection}?dryRun=All`, {
        ...identity,
        ...resourceOf(spec),
      });
      expect(applyDefaults(probe.spec, spec)).toEqual(body.spec);
    });
  });
});
