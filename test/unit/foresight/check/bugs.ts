import { appService } from '#constructs/app-service/kind.ts';
import { canaryRollout } from '#constructs/canary-rollout/kind.ts';
import { deployer } from '#constructs/deployer/kind.ts';
import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { JsonObject } from '#lib/json.ts';
import { Deployment } from '#lib/kind/handles/reference.ts';
import type { Invariant } from '#lib/sim/world/scenario/scenario.ts';
import { manifest, type Planted, planted, type Seen } from './planting.ts';

/** The function's input with changed children of one kind. */
const seeing = (seen: Seen, wanted: string, change: (child: JsonObject) => readonly JsonObject[]): Seen => ({
  ...seen,
  children: {
    of: (kind) => {
      const children = seen.children.of(kind);
      return kind.kind === wanted ? (children.flatMap((child) => change(child as never)) as never) : children;
    },
  },
});

const podSets = (replicas: number) => [manifest('app.example.com/v1alpha1', 'PodSet', { replicas })];

/** The name of the next pod comes from the number of pods: after a pod in the middle is deleted, the name is in use. */
const namedByCount = planted(podSet, (seen, right) => {
  const wanted = right(seen);
  let count = wanted.children.filter(({ verb }) => verb !== 'apply').length;
  const children = wanted.children.map((child) => {
    if (child.verb !== 'apply' || child.object.kind !== 'Pod') return child;
    count += 1;
    return { ...child, object: { ...child.object, metadata: { ...child.object.metadata, name: `web-${count}` } } };
  });
  return { ...wanted, children };
});

/** A terminating pod is ignored, and the next pod gets another name. */
const twoAtOnce = planted(immortalContainer, (seen, right) => {
  let going = 0;
  const alive = seeing(seen, 'Pod', (pod) => {
    const { deletionTimestamp } = pod['metadata'] as { readonly deletionTimestamp?: string };
    if (deletionTimestamp !== undefined) going += 1;
    return deletionTimestamp === undefined ? [pod] : [];
  });
  const wanted = right(alive);
  if (going === 0) return wanted;
  const children = wanted.children.map((child) =>
    child.verb === 'apply'
      ? { ...child, object: { ...child.object, metadata: { ...child.object.metadata, name: `web-${going}` } } }
      : child,
  );
  return { ...wanted, children };
});

/** At most one pod at a time, running or not. */
const oneAtATime = (): Invariant => ({
  name: 'one pod at a time',
  check: (view) => {
    const pods = view.objects({ group: '', plural: 'pods' });
    return pods.length > 1 ? `${pods.length} pods` : undefined;
  },
});

/** Pods count as available as soon as they are requested. */
const hasty = planted(canaryRollout, (seen, right) =>
  right(
    seeing(seen, 'Deployment', (child) => {
      const { metadata, spec, status } = child as {
        metadata?: { generation?: number };
        spec?: { replicas?: number };
        status?: object;
      };
      const replicas = spec?.replicas ?? 0;
      const { generation: observedGeneration } = metadata ?? {};
      return [
        {
          ...child,
          status: {
            ...status,
            observedGeneration,
            replicas,
            readyReplicas: replicas,
            availableReplicas: replicas,
            updatedReplicas: replicas,
          },
        },
      ];
    }),
  ),
);

/** The status contains the version that it was computed from, which each status write changes. */
const restless = planted(deployer, (seen, right) => {
  const wanted = right(seen);
  const { resourceVersion } = seen.resource.metadata as { readonly resourceVersion?: string };
  return { ...wanted, status: { ...(wanted.status as object), message: `computed from ${resourceVersion}` } };
});

let passes = 0;
/** The function counts its calls. */
const impure = planted(appService, (seen, right) => {
  passes += 1;
  const wanted = right(seen);
  const children = wanted.children.map((child) =>
    child.verb === 'apply'
      ? {
          ...child,
          object: { ...child.object, metadata: { ...child.object.metadata, annotations: { passes: String(passes) } } },
        }
      : child,
  );
  return { ...wanted, children };
});

const isReady = ({ status }: ServerObject): boolean =>
  ((status as { conditions?: { type: string; status: string }[] } | undefined)?.conditions ?? []).some(
    ({ type, status: said }) => type === 'Ready' && said === 'True',
  );

/** Two pods were ready, and two stay ready. */
const twoStayReady = (): Invariant => {
  let reached = false;
  return {
    name: 'two pods stay ready',
    check: (view) => {
      const ready = view
        .objects({ group: '', plural: 'pods' })
        .filter((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined).length;
      if (ready >= 2) reached = true;
      return reached && ready < 2 ? `${ready} ready` : undefined;
    },
    memory: () => reached,
  };
};

const rollout = (image: string): JsonObject =>
  manifest('deploy.example.com/v1alpha1', 'CanaryRollout', {
    replicas: 2,
    progressDeadlineSeconds: 604_800,
    template: { spec: { containers: [{ name: 'web', image }] } },
    steps: [{ percent: 50, sleep: 5 }],
  });

/** The function lists other Deployments, which its definition does not declare. */
const curious = planted(deployer, (seen, right) => {
  seen.related.list(Deployment);
  return right(seen);
});

const deployers = [
  manifest('deploy.example.com/v1alpha1', 'Deployer', {
    deployment: { name: 'web', image: 'nginx', version: '1', replicas: 1 },
    steps: [{ percent: 100 }],
  }),
];

/** Bugs for the soak only: the search takes hours of virtual time to find that the cluster does not come to rest. */
export const slowBugs: readonly Planted[] = [
  {
    kind: 'Deployer',
    bug: 'reports what its own report changes',
    options: { kinds: [restless], manifests: deployers },
    words: /The cluster does not become idle/,
    trace: /patch deployers\/status default\/web/,
  },
];

/** A bug in each kind of the project. */
export const bugs: readonly Planted[] = [
  {
    kind: 'PodSet',
    bug: 'names pods by their number',
    options: { kinds: [namedByCount], manifests: podSets(2), states: 0, seed: 1175, schedules: 1 },
    words: /each child is named at most once|the outcome is another than undisturbed|never more pods/,
    trace: /web-\d/,
  },
  {
    kind: 'ImmortalContainer',
    bug: 'does not wait for a pod that is on its way out',
    options: {
      kinds: [twoAtOnce],
      manifests: [manifest('immortalcontainer.flugel.it/v1alpha1', 'ImmortalContainer', { image: 'nginx:1' })],
      script: { changes: [{ kill: { image: '*' } }] },
      invariants: () => [oneAtATime()],
    },
    words: /one pod at a time: 2 pods/,
    trace: /create pods default\/web-1: 201/,
  },
  {
    kind: 'CanaryRollout',
    bug: 'counts pods as available that it has only asked for',
    options: {
      kinds: [hasty],
      manifests: [rollout('web:1')],
      script: { changes: [{ image: 'CanaryRollout/web', to: 'web:2' }] },
      invariants: () => [twoStayReady()],
      without: ['clock jump', 'actor'],
      states: 0,
      schedules: 60,
    },
    words: /two pods stay ready: 1 ready/,
    trace: /deployments default\/web-/,
  },
  {
    kind: 'Deployer',
    bug: 'looks for what it did not declare',
    options: { kinds: [curious], manifests: deployers },
    words: /Cannot read related\.list\(Deployment\)/,
    trace: /applies Deployer web/,
  },
  {
    kind: 'AppService',
    bug: 'counts its calls',
    options: {
      kinds: [impure, podSet],
      manifests: [manifest('app.example.com/v1alpha1', 'AppService', { replicas: 1 })],
    },
    words: /the same observation gave two answers/,
    trace: /applies AppService web/,
  },
];
