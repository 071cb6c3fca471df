import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, OPERATOR, startInstalledOperator } from '#test/control-plane/install.ts';
import type { OperatorProcess } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { tryProcessStart } from '#test/control-plane/process.ts';
import { createFleet, type Fleet, MOST_PODS } from './chaos/fleet.ts';
import { type RotatingToken, rotatingToken } from './chaos/rotating-token.ts';

const POD_SETS = 200;
/** Time in which a loop that does not rest would send a request. */
const QUIET_MS = 3000;
const podSetsCrd = 'podsets.app.example.com';

let plane: ControlPlane;
let token: RotatingToken;
let operator: OperatorProcess;
let startOfOperator: string | undefined;
let fleet: Fleet;

// Pods need not run in these tests; without scheduler and kwok more CPU time is left for the processes under test.
beforeAll(async () => {
  plane = await startControlPlane({ scheduler: false, kwok: false });
  await installBundle(plane);
  token = await rotatingToken(plane);
  // Longer than usual: a restart of the API server takes seconds, and elections are not under test.
  const env = { LEASE_DURATION_SECONDS: '120' };
  operator = await startInstalledOperator(plane, { kubeconfig: token.kubeconfig, env });
  startOfOperator = tryProcessStart(operator.pid);
  fleet = createFleet(plane, await plane.createNamespace('chaos'), POD_SETS);
  await fleet.createMissing();
  await fleet.converged();
});

afterAll(async () => {
  await operator?.stop();
  await plane?.stop();
});

const succeeded = async (...args: readonly string[]): Promise<void> => {
  const { code, stderr } = await plane.kubectl(args);
  if (code !== 0) throw new Error(`Cannot kubectl ${args.join(' ')}: ${stderr}`);
};

/** Disruptions of a cluster. `strike` resolves when the cluster works again; the operator may need more time. */
const disasters: readonly { readonly title: string; readonly strike: () => Promise<void> }[] = [
  {
    title: 'the API server crashes and comes back',
    strike: () => plane.restart('kube-apiserver', { signal: 'SIGKILL' }),
  },
  {
    title: 'etcd is compacted, and the API server forgets its history',
    strike: () => plane.restart('kube-apiserver', { whileDown: () => plane.compactHistory() }),
  },
  { title: 'etcd crashes and comes back', strike: () => plane.restart('etcd', { signal: 'SIGKILL' }) },
  {
    title: 'its ServiceAccount is deleted, created anew, and its token replaced',
    strike: async () => {
      await succeeded('-n', OPERATOR, 'delete', 'serviceaccount', OPERATOR);
      await installBundle(plane);
      await token.rotate();
    },
  },
  {
    title: 'the CRD is deleted with all PodSets, and everything is applied again',
    strike: async () => {
      await succeeded('delete', 'crd', podSetsCrd, '--timeout=180s');
      await installBundle(plane);
      await waitFor('the PodSets to be created again', async () =>
        fleet.createMissing().then(
          () => true,
          () => false,
        ),
      );
    },
  },
];

describe(`an operator of ${POD_SETS} PodSets that are being scaled`, () => {
  it.each(disasters)(
    'makes them converge, without a restart and without a pod too many, when $title',
    async ({ strike }) => {
      const countAll = fleet.countPods();
      const settle = fleet.keepChanging();
      try {
        await strike();
      } finally {
        // A disruption that the test caused must end before the next one.
        await settle();
      }
      await fleet.converged();
      const { most, looks } = await countAll();
      expect(looks).toBeGreaterThan(0);
      expect(most).toBeLessThanOrEqual(MOST_PODS);
      expect(tryProcessStart(operator.pid)).toBe(startOfOperator);
    },
  );

  it('still sends nothing at rest after all that', async () => {
    await fleet.converged();
    let sent: readonly string[] = [];
    const isQuiet = async (): Promise<boolean> => {
      const since = new Date();
      await sleep(QUIET_MS);
      const entries = await plane.auditEntries({ user: `system:serviceaccount:${OPERATOR}:${OPERATOR}`, since });
      sent = entries
        .filter(({ resource, verb }) => resource !== 'leases' && resource !== 'events' && verb !== 'watch')
        .map(({ verb, resource }) => `${verb} ${resource}`);
      return sent.length === 0;
    };
    // Work that the last disruption caused may continue after all PodSets are as they should be.
    await waitFor('three quiet seconds', isQuiet, { timeoutMs: 30_000 }).catch(() => undefined);
    expect(sent).toEqual([]);
  });
});
