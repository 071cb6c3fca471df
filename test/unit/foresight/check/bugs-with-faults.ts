import { appService } from '#constructs/app-service/kind.ts';
import { canaryRollout } from '#constructs/canary-rollout/kind.ts';
import { deployer } from '#constructs/deployer/kind.ts';
import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import type { ChildIntent } from '#lib/desired/result/intent.ts';
import { stalled } from '#lib/desired/result/state.ts';
import type { CheckOptions } from '#lib/foresight/check/check.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { FAULT_CLASSES, type FaultClass } from '#lib/sim/world/step/step.ts';
import { manifest, type Planted, planted, type Seen } from './planting.ts';

const isNewPod = (child: ChildIntent): boolean => child.verb === 'apply' && child.object.kind === 'Pod';

/** The function counts its pods by its own status, which misses pods that were created before a crash. */
const namedByStatus = planted(podSet, (seen, right) => {
  const wanted = right(seen);
  let { replicas = 0 } = (seen.resource.status ?? {}) as { readonly replicas?: number };
  const children = wanted.children.map((child) => {
    if (child.verb !== 'apply' || !isNewPod(child)) return child;
    replicas += 1;
    const name = `web-${replicas}`;
    return { ...child, object: { ...child.object, metadata: { ...child.object.metadata, name } } };
  });
  return { ...wanted, children };
});

const goingIn = ({ children }: Seen): number =>
  children.of(Pod).filter(({ metadata }) => metadata?.deletionTimestamp !== undefined).length;

/**
 * The function replaces terminating pods, and not missing ones, so a pod that disappears between two passes is never replaced.
 */
const edgeTriggered = planted(appService, (seen, right) => {
  const wanted = right(seen);
  if (seen.resource.status === undefined || Object.keys(seen.resource.status).length === 0) return wanted;
  let left = goingIn(seen);
  const children = wanted.children.filter((child) => {
    if (!isNewPod(child)) return true;
    left -= 1;
    return left >= 0;
  });
  return { ...wanted, children };
});

/** The function treats a failed pod as a running one. */
const blindToFailure = planted(immortalContainer, (seen, right) =>
  right({
    ...seen,
    children: {
      of: (kind) =>
        kind.kind === 'Pod'
          ? (seen.children.of(Pod).map((pod) => ({ ...pod, status: { ...pod.status, phase: 'Running' } })) as never)
          : seen.children.of(kind),
    },
  }),
);

const GIVEN_UP = 'the API server does not want it';

/** The function treats every refusal as final, even if the server was only busy. */
const givesUp = planted(deployer, (seen, right) => {
  const wanted = right(seen);
  const { message } = (seen.resource.status ?? {}) as { readonly message?: string };
  if (seen.refused.length === 0 && message !== GIVEN_UP) return wanted;
  const status = { ...(wanted.status as object), message: GIVEN_UP };
  return { ...wanted, children: [], partial: GIVEN_UP, status, state: stalled('Refused', GIVEN_UP) };
});

/** The function reports the duration of the rollout, which is negative after the clock was set back. */
const countsSeconds = planted(canaryRollout, (seen, right) => {
  const wanted = right(seen);
  const { startedAt } = (seen.resource.status ?? {}) as { readonly startedAt?: string };
  const seconds = startedAt === undefined ? 0 : Date.parse(seen.clock.now()) - Date.parse(startedAt);
  if (seconds < 0) throw new RangeError(`a rollout cannot have taken ${seconds} ms`);
  return wanted;
});

/** Allows only these faults. */
const only = (...classes: readonly FaultClass[]): Pick<CheckOptions, 'without' | 'states' | 'schedules'> => ({
  without: FAULT_CLASSES.filter((name) => !classes.includes(name)),
  states: 0,
  schedules: 1,
});

/** A bug in each kind of the project that needs a fault to show, and that fault. */
export const bugsWithFaults: readonly Planted[] = [
  {
    kind: 'PodSet',
    bug: 'numbers its pods by what its status says',
    fault: /! operator-1 {2}(?:request|answer) lost: create pods/,
    options: {
      kinds: [namedByStatus],
      manifests: [manifest('app.example.com/v1alpha1', 'PodSet', { replicas: 2 })],
      ...only('request lost', 'answer lost'),
      seed: 26,
    },
    words: /each child is named at most once/,
    trace: /create pods default\/web-1: 201/,
  },
  {
    kind: 'ImmortalContainer',
    bug: 'takes a pod that has failed for one that runs',
    fault: /! kubelet → API server {2}evict pod/,
    options: {
      kinds: [blindToFailure],
      manifests: [manifest('immortalcontainer.flugel.it/v1alpha1', 'ImmortalContainer', { image: 'nginx:1' })],
      ...only('actor'),
      seed: 7,
    },
    words: /the outcome is another than undisturbed/,
    trace: /MODIFIED pods default\/web-immortalpod/,
  },
  {
    kind: 'CanaryRollout',
    bug: 'counts seconds by a clock that is set back',
    fault: /! cluster {2}clock .* back: operator-1/,
    options: {
      kinds: [countsSeconds],
      manifests: [
        manifest('deploy.example.com/v1alpha1', 'CanaryRollout', {
          replicas: 1,
          template: { spec: { containers: [{ name: 'web', image: 'web:1' }] } },
          steps: [{ percent: 100 }],
        }),
      ],
      ...only('clock jump', 'crash'),
      seed: 29,
    },
    words: /a rollout cannot have taken -\d+ ms/,
    trace: /! operator-1 {2}crash/,
  },
  {
    kind: 'Deployer',
    bug: 'gives up at the first refusal',
    fault: /! cluster {2}answer \d+: operator-1 (?:create|patch)/,
    options: {
      kinds: [givesUp],
      manifests: [
        manifest('deploy.example.com/v1alpha1', 'Deployer', {
          deployment: { name: 'web', image: 'nginx', version: '1', replicas: 1 },
          steps: [{ percent: 100 }],
        }),
      ],
      ...only('error answer'),
      seed: 21,
    },
    words: /the outcome is another than undisturbed/,
    trace: /write refused/,
  },
  {
    kind: 'AppService',
    bug: 'replaces what it sees going instead of what is missing',
    // Nothing fails: the operator's view is stale.
    fault: /> user → API server {2}kill[\s\S]*ADDED pods/,
    options: {
      kinds: [edgeTriggered, podSet],
      manifests: [manifest('app.example.com/v1alpha1', 'AppService', { replicas: 1 })],
      script: { changes: [{ kill: { of: 'AppService/web' } }] },
      ...only(),
      seed: 11,
    },
    words: /the outcome is another than undisturbed/,
    trace: /DELETED pods/,
  },
];
