import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileCrd } from '#lib/kind/crd.ts';
import type { KindShape } from '#lib/kind/shape.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { baseShape, RULE_CASES } from '#test/unit/kind/rule-cases.ts';
import { uncheckedCrd } from '#test/unit/kind/unchecked-crd.ts';

/** Nothing is stored: the server decides and forgets. */
const DRY_RUN = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All';

describe('rules over definitions, judged by a real API server', () => {
  let plane: ControlPlane;

  beforeAll(async () => {
    plane = await startControlPlane({ controllers: false, scheduler: false, kwok: false, audit: false });
  }, 900_000);
  afterAll(() => plane.stop());

  const verdictOn = async (crd: object) => {
    const { status, body } = await plane.request<{ message?: string }>('POST', DRY_RUN, crd);
    return { status, message: body.message };
  };
  const shapeOf = (patch: Partial<KindShape>): KindShape => ({ ...baseShape, ...patch });

  const isOurs = ({ ours }: { readonly ours?: true }): boolean => ours === true;
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
});
