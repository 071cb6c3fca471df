import { App, Chart, Testing } from 'cdk8s';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GrantProps, Operator } from '#constructs/operator/operator.ts';
import { ApiError } from '#lib/errors.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { createKubeClient, type KubeClient } from '#lib/kube/client/client.ts';
import { loadCredentials } from '#lib/kube/credentials/credentials.ts';
import { immutableFieldsOf, refusalReasonOf } from '#lib/loop/pass/execute/refusal.ts';
import { run } from '#lib/runtime.ts';
import { refusedByAdmission } from '#test/cluster/refused/admission.ts';
import { clerk } from '#test/cluster/refused/clerk.ts';
import { type Hands, handsOf } from '#test/cluster/refused/hands.ts';
import { immutables } from '#test/cluster/refused/immutables.ts';
import { ConfigMap, objectOf, pod } from '#test/cluster/refused/objects.ts';
import { refusedRequests } from '#test/cluster/refused/requests.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { applyObjects } from './own-operator.ts';

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

const CLERKS = 'clerks';

/** Installs the bundle of {@link clerk} with these grants. */
const applyClerks = async (grants: GrantProps): Promise<void> => {
  const chart = new Chart(new App(), 'chart');
  new Operator(chart, 'operator', { kinds: [clerk], image: 'clerk:1', name: CLERKS, grants });
  await applyObjects(plane, ...(Testing.synth(chart) as object[]));
  await plane.kubectl(['wait', '--for=condition=Established', '--timeout=180s', 'crd', '--all']);
};

/** Runs the operator of clerks in this process, under its own rights, during an action. */
const whileClerksRun = async (act: () => Promise<void>): Promise<void> => {
  const ending = new AbortController();
  const settings = { HEALTH_PORT: '0', METRICS_PORT: '0', LEADER_ELECTION: 'false', LOG_LEVEL: 'silent' };
  const env = { ...settings, KUBECONFIG: await plane.serviceAccountKubeconfig(CLERKS, CLERKS) };
  const running = run({ kinds: [clerk], env, signal: ending.signal });
  try {
    await act();
  } finally {
    ending.abort();
    await running;
  }
};

interface Reported {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly message: string }[] };
}

describe('grants', () => {
  it('let an operator make a role and a binding of rights that it lacks; without them the API server forbids both, and the resource says what helps', async () => {
    const namespace = await plane.createNamespace('grants');
    const clerks = `/apis/demo.example.com/v1/namespaces/${namespace}/clerks`;
    const says = async (type: string, message: RegExp): Promise<boolean> => {
      const { status } = (await plane.request<Reported>('GET', `${clerks}/c`)).body;
      return status?.conditions?.some((each) => each.type === type && message.test(each.message)) ?? false;
    };
    const madeBy = async (): Promise<readonly string[]> => {
      const entries = await plane.auditEntries({ user: `system:serviceaccount:${CLERKS}:${CLERKS}`, namespace });
      const ours = entries.filter(({ verb, resource }) => verb === 'patch' && resource.startsWith('role'));
      return [...new Set(ours.map(({ resource, code }) => `${resource} ${code}`))].toSorted();
    };
    await applyClerks({ bind: [], escalate: [] });
    await whileClerksRun(async () => {
      const body = { apiVersion: 'demo.example.com/v1', kind: 'Clerk', metadata: { name: 'c' } };
      await plane.request('POST', clerks, { ...body, spec: { user: 'jane' } });
      const forbidden = /^cannot create Role(Binding)?: .*name the role in `grants` of the Operator construct/;
      await waitFor('the way out', () => says('Reconciling', forbidden));
      await waitFor('both to be forbidden', async () => (await madeBy()).length === 2);
      expect(await madeBy()).toEqual(['rolebindings 403', 'roles 403']);
      await applyClerks({ bind: ['ClusterRole/view'], escalate: ['Role/secret-reader'] });
      let edits = 0;
      // An edit ends the delay before the next try; the API server applies the new role a moment after it is stored.
      const edited = async (): Promise<boolean> => {
        await plane.request(
          'PATCH',
          `${clerks}/c`,
          { spec: { user: `jane-${(edits += 1)}` } },
          {
            contentType: 'application/merge-patch+json',
          },
        );
        return says('Ready', /^the rights are given$/);
      };
      await waitFor('the rights to be given', edited, { pollMs: 500 });
    });
    expect(await madeBy()).toEqual(expect.arrayContaining(['rolebindings 201', 'roles 201']));
  });
});
