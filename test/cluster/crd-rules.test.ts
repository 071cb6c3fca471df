import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileCrd } from '#lib/kind/crd.ts';
import { applyDefaults } from '#lib/kind/defaults.ts';
import { apiVersionOf, namesOf } from '#lib/kind/names.ts';
import type { KindShape } from '#lib/kind/shape.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { podSet } from '#test/unit/kind/pod-set.ts';
import { ACCEPTED_SPECS, probe, REFUSED_SPECS, resourceOf } from '#test/unit/kind/resource-cases.ts';
import { baseShape, RULE_CASES } from '#test/unit/kind/rule-cases.ts';
import { uncheckedCrd } from '#test/unit/kind/unchecked-crd.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Nothing is stored: the server decides and forgets. */
const DRY_RUN = `${DEFINITIONS}?dryRun=All`;

const shapeOf = (patch: Partial<KindShape>): KindShape => ({ ...baseShape, ...patch });
const named = (length: number) => ({ metadata: { name: 'a'.repeat(length) }, spec: {} });
const isOurs = ({ ours }: { readonly ours?: true }): boolean => ours === true;

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

  describe('values', () => {
    const collection = `/apis/${apiVersionOf(probe)}/namespaces/default/${namesOf(probe).plural}`;
    const identity = { apiVersion: apiVersionOf(probe), kind: probe.kind };

    beforeAll(async () => {
      await plane.request('POST', DEFINITIONS, compileCrd(probe));
      await waitFor('the kind to be served', async () => (await plane.request('GET', collection)).status === 200);
    });

    /** Strict validation makes the server refuse unknown fields instead of dropping them. */
    const verdictOnValue = async (object: object) => {
      const path = `${collection}?dryRun=All&fieldValidation=Strict`;
      const { status, body } = await plane.request<{ message?: string }>('POST', path, { ...identity, ...object });
      return { status, message: body.message };
    };

    it.each(REFUSED_SPECS.filter((row) => !isOurs(row)))('the server refuses $path, too: $reason', async ({ spec }) => {
      const { status } = await verdictOnValue(resourceOf(spec));
      expect([400, 422]).toContain(status);
    });

    it.each(ACCEPTED_SPECS)('the server accepts, too: $reason', async ({ spec }) => {
      expect(await verdictOnValue(resourceOf(spec))).toMatchObject({ status: 201 });
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
