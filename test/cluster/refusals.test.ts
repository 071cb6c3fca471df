import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '#lib/errors.ts';
import { Pod } from '#lib/kind/reference.ts';
import { createKubeClient, type KubeClient } from '#lib/kube/client.ts';
import { loadCredentials } from '#lib/kube/credentials.ts';
import { immutableFieldsOf, refusalReasonOf } from '#lib/loop/pass/refusal.ts';
import { refusedByAdmission } from '#test/cluster/refused/admission.ts';
import { type Hands, handsOf } from '#test/cluster/refused/hands.ts';
import { immutables } from '#test/cluster/refused/immutables.ts';
import { ConfigMap, objectOf, pod } from '#test/cluster/refused/objects.ts';
import { refusedRequests } from '#test/cluster/refused/requests.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';

let plane: ControlPlane;
let admin: KubeClient;
let nobody: KubeClient;

const connect = async (kubeconfig: string): Promise<KubeClient> =>
  createKubeClient(await loadCredentials({ env: { KUBECONFIG: kubeconfig } }));

beforeAll(async () => {
  plane = await startControlPlane({ scheduler: false, kwok: false, users: [{ name: 'nobody' }] });
  admin = await connect(plane.kubeconfig);
  nobody = await connect(plane.kubeconfigFor('nobody'));
});

afterAll(async () => {
  await admin?.close();
  await nobody?.close();
  await plane?.stop();
});

const hands = async (): Promise<Hands> =>
  handsOf({ plane, admin, nobody, namespace: await plane.createNamespace('refusals') });

/** The answer to a request that must be refused. */
const refusal = async (request: () => Promise<unknown>): Promise<ApiError> => {
  try {
    await request();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('The request was accepted');
};

describe('refusalReasonOf()', () => {
  it.each([...refusedByAdmission, ...refusedRequests])(
    'refusalReasonOf() is $expected when $reason',
    async ({ provoke, expected, httpStatus }) => {
      const on = await hands();
      const error = await refusal(async () => provoke(on));
      expect([refusalReasonOf(error), error.httpStatus]).toEqual([expected, httpStatus]);
    },
  );
});

describe('immutableFieldsOf()', () => {
  it.each(immutables)(
    'immutableFieldsOf() names $fields when $what is changed',
    async ({ kind, before, after, fields }) => {
      const on = await hands();
      await on.apply(kind, before);
      const error = await refusal(async () => on.apply(kind, after));
      expect([refusalReasonOf(error), immutableFieldsOf(error)]).toEqual(['Invalid', fields]);
    },
  );

  it('immutableFieldsOf() names nothing when another object has the name, and when a value is not allowed', async () => {
    const on = await hands();
    await on.create(ConfigMap, objectOf(ConfigMap, 'a'));
    const another = { ...objectOf(ConfigMap, 'a'), metadata: { name: 'a', uid: 'x' } };
    const replaced = await refusal(async () => on.apply(ConfigMap, another));
    expect([replaced.httpStatus, immutableFieldsOf(replaced)]).toEqual([422, []]);
    const invalid = await refusal(async () => on.create(Pod, pod('a', { restartPolicy: 'Sometimes' })));
    expect(immutableFieldsOf(invalid)).toEqual([]);
  });
});
