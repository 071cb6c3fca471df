import { setTimeout as sleep } from 'node:timers/promises';
import { makeCrowd } from './crowds.ts';
import { createdPods, type Hook } from './hooks.ts';
import { onSite, RESOURCES, untilWell, writesSince } from './site.ts';

/** Less than the time limit of a write with leader election, 10 s. */
const DELAY_MS = 6000;
const sluggish: Hook = { rules: [createdPods], delayMs: DELAY_MS, timeoutSeconds: 30 };
const CROWD = { count: 40, replicas: 3 };
/** Maximum number of concurrent writes. */
const IN_FLIGHT = 16;
const WELL_MS = 300_000;

interface PodList {
  readonly items: readonly { readonly status?: { readonly phase?: string } }[];
}

/**
 * Many creates with a slow webhook: waiting for a slot does not count as time of a write, and other namespaces
 * progress.
 */
export const slowWebhook = async (): Promise<string> =>
  onSite(async ({ plane, hooks, fleet, log }) => {
    await hooks.install({ sluggish });
    const others = await fleet('others');
    await others.resources.create(RESOURCES, 2);
    await untilWell([others]);
    const namespace = await hooks.namespace('sluggish');
    const since = new Date();
    await makeCrowd(plane, namespace, CROWD);
    await others.resources.change(RESOURCES, 3, '1.29');
    const othersMs = await untilWell([others]);
    const wanted = CROWD.count * CROWD.replicas;
    const running = async (): Promise<number> => {
      const { items } = (await plane.request<PodList>('GET', `/api/v1/namespaces/${namespace}/pods`)).body;
      return items.filter(({ status }) => status?.phase === 'Running').length;
    };
    const deadline = Date.now() + WELL_MS;
    while ((await running()) < wanted && Date.now() < deadline) await sleep(500);
    const tookMs = Date.now() - since.getTime();
    const creates = (await writesSince(plane, since, namespace)).filter(
      ({ verb, resource }) => resource === 'pods' && verb !== 'delete',
    );
    const lost = creates.filter(({ code }) => code < 200 || code >= 300);
    const found = await running();
    const leastMs = (wanted / IN_FLIGHT) * DELAY_MS;
    const figures =
      `${found} of ${wanted} pods after ${Math.round(tookMs / 1000)} s (${Math.round(leastMs / 1000)} s at least), ` +
      `${creates.length} creates of ${DELAY_MS / 1000} s each, ${lost.length} given up; others rolled and grown in ${othersMs} ms; ${log().filter(({ level }) => level !== 'info').length} lines above info`;
    if (found !== wanted || lost.length > 0 || othersMs > leastMs) throw new Error(figures);
    return figures;
  });
