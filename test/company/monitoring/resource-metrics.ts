import { kubectl } from '#test/company/gitops/flux.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { MONITORING, SHOP } from './cluster.ts';
import { applyAll } from './install.ts';
import { waiting } from './resources.ts';
import type { Scene } from './scene.ts';

const USER = `system:serviceaccount:${MONITORING}:kube-state-metrics`;

interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string; readonly generation: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  };
}

const KINDS = 'podsets,appservices,immortalcontainers,canaryrollouts,deployers';

const resourcesIn = async ({ plane }: Scene): Promise<readonly Resource[]> =>
  (
    JSON.parse(await kubectl(plane, ['get', KINDS, '-n', 'default', '-o', 'json'])) as {
      readonly items: readonly Resource[];
    }
  ).items.concat(
    (JSON.parse(await kubectl(plane, ['get', 'podsets', '-n', SHOP, '-o', 'json'])) as { readonly items: Resource[] })
      .items,
  );

/** The expected series of a resource, in the notation of kube-state-metrics. */
const seriesOf = ({ apiVersion, kind, metadata, status = {} }: Resource): readonly string[] => {
  const [group = '', version = ''] = apiVersion.split('/');
  const labels = [
    `customresource_group="${group}"`,
    `customresource_kind="${kind}"`,
    `customresource_version="${version}"`,
    `name="${metadata.name}"`,
    `namespace="${metadata.namespace}"`,
  ];
  const series = (name: string, more: readonly string[], value: number) =>
    `cdk8s_reconcile_resource_${name}{${[...labels, ...more].join(',')}} ${value}`;
  return [
    series('generation', [], metadata.generation),
    series('observed_generation', [], status.observedGeneration ?? 0),
    ...(status.conditions ?? []).map(({ type, reason, status: value }) =>
      series('condition', [`reason="${reason}"`, `type="${type}"`], value === 'True' ? 1 : 0),
    ),
  ];
};

const linesOf = async (url: string): Promise<ReadonlySet<string>> => {
  const text = await (await fetch(url)).text();
  return new Set(text.split('\n'));
};

/** @returns the series that are missing */
const missing = async (scene: Scene): Promise<readonly string[]> => {
  const lines = await linesOf(scene.resourceMetrics);
  const resources = await resourcesIn(scene);
  return resources.flatMap(seriesOf).filter((line) => !lines.has(line));
};

/** @throws {Error} when a request of kube-state-metrics was forbidden, or when it sent none */
const assertRights = async ({ plane }: Scene): Promise<void> => {
  const entries = await plane.auditEntries({ user: USER });
  const refused = entries.filter(({ code }) => code === 403).map(({ requestURI }) => requestURI);
  if (entries.length === 0 || refused.length > 0)
    throw new Error(`${entries.length} requests of kube-state-metrics, refused: ${refused.join(', ') || 'none'}`);
};

const condition = (name: string, type: string, value: number): string =>
  `cdk8s_reconcile_resource_condition{namespace="${SHOP}",name="${name}",type="${type}"} == ${value}`;

const pendingOf = async ({ main }: Scene): Promise<ReadonlySet<string>> =>
  new Set((await main.alerts()).map(({ labels }) => `${labels['alertname']} ${labels['namespace']}/${labels['name']}`));

/** Expected alerts, each with its resource. */
const DUE = [
  `ResourceStalled ${SHOP}/stalled`,
  `ResourceNotReady ${SHOP}/not-ready`,
  `ResourceWaitsForPerson ${SHOP}/waiting`,
];

/**
 * Compares the metrics of kube-state-metrics with the resources of all kinds, and waits until their alerts are pending.
 *
 * @throws {Error} with the missing series
 */
export const assertResourceMetrics = async (scene: Scene): Promise<string> => {
  await applyAll(scene.plane, [waiting('nginx:2')]);
  let lacking: readonly string[] = [];
  const isComplete = async (): Promise<boolean> => (lacking = await missing(scene)).length === 0;
  await waitFor('kube-state-metrics', isComplete, { timeoutMs: 60_000, pollMs: 500 }).catch(() => {
    throw new Error(`kube-state-metrics lacks ${lacking.join('\n      ')}`);
  });
  await assertRights(scene);
  const stored = [
    condition('stalled', 'Stalled', 1),
    condition('not-ready', 'Ready', 0),
    condition('waiting', 'Paused', 1),
  ];
  await waitFor('Prometheus to have them', async () => {
    const found = await Promise.all(stored.map((each) => scene.main.query(each)));
    return found.every((series) => series.length === 1);
  });
  let pending: ReadonlySet<string> = new Set();
  const arePending = async (): Promise<boolean> => {
    pending = await pendingOf(scene);
    return DUE.every((alert) => pending.has(alert));
  };
  await waitFor('the alerts', arePending, { pollMs: 1000 }).catch(() => {
    throw new Error(
      `not pending: ${DUE.filter((alert) => !pending.has(alert)).join(', ')}; there are ${[...pending].join(', ')}`,
    );
  });
  const count = (await resourcesIn(scene)).flatMap(seriesOf).length;
  return `${count} series of five kinds, no request refused, pending: ${DUE.join(', ')}`;
};
