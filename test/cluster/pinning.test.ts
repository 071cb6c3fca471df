import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKubeClient, type KubeClient } from '#lib/kube/client/client.ts';
import { loadCredentials } from '#lib/kube/credentials/credentials.ts';
import { casesNow } from '#test/cases.ts';
import { realWishes } from '#test/contract/pinning/intents.ts';
import { tryPinning } from '#test/contract/pinning/pinning.ts';
import { widgetsCrd } from '#test/contract/pinning/widgets.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';

/** Goal R3: number of cases in `npm test`; `npm run test:soak` runs ten times as many. */
const CASES = casesNow({ usual: 200, soak: 2000 }).count;

let plane: ControlPlane;
let client: KubeClient;

// Without controllers only the test writes, and children whose parent does not exist are not garbage-collected.
beforeAll(async () => {
  plane = await startControlPlane({ controllers: false, scheduler: false, kwok: false });
  await plane.kubectl(['apply', '-f', '-'], { input: JSON.stringify(widgetsCrd) });
  await plane.kubectl(['wait', '--for=condition=Established', `crd/${widgetsCrd.metadata.name}`]);
  client = createKubeClient(await loadCredentials({ env: { KUBECONFIG: plane.kubeconfig } }));
});

afterAll(async () => {
  await client?.close();
  await plane?.stop();
});

const ground = async () => {
  const namespace = await plane.createNamespace('pinning');
  // Without this account no pod is admitted, and no controller runs that would create it.
  await plane.kubectl(['create', 'serviceaccount', 'default', '--namespace', namespace]);
  return { api: client, namespace };
};

describe('response pinning on a real API server', () => {
  it('leaves alone what an apply would not change, and restores what another writer changed of ours (R3)', {
    timeout: 900_000,
  }, async () => {
    const tally = await tryPinning(ground, { wishes: realWishes, runs: CASES });
    expect(tally.refused).toBeLessThan(tally.cases / 2);
    expect(tally.blocked).toBeLessThan(tally.cases / 20);
    expect(tally.skips).toBeGreaterThan(tally.cases);
    expect(tally.unclaimed).toBeLessThan(tally.skips / 50);
  });
});
