import type { Deployment as KubeDeployment } from 'kubernetes-types/apps/v1.js';
import type { ContainerState, Pod as KubePod } from 'kubernetes-types/core/v1.js';
import { describe, expect, it } from 'vitest';
import { appService } from '#constructs/app-service/kind.ts';
import { canaryRollout } from '#constructs/canary-rollout/kind.ts';
import { deployer } from '#constructs/deployer/kind.ts';
import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { observationOf } from '#lib/desired/observe/observation-of.ts';
import type { Condition } from '#lib/desired/result/conditions.ts';
import type { Desired } from '#lib/desired/result/desired.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';

const NOW = '2026-11-21T09:30:00Z';
const metadata = { name: 'web', generation: 1 };

interface Trait {
  readonly state?: ContainerState;
  readonly labels?: Readonly<Record<string, string>>;
  readonly name?: string;
}

/** A pod whose container has this state; without a state, a ready pod. */
const podIn = ({ state, labels = {}, name = 'web-b' }: Trait): KubePod => {
  const ready = state === undefined;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, uid: name, labels: { ...labels }, creationTimestamp: NOW },
    spec: { containers: [], nodeName: 'node-1' },
    status: {
      phase: ready ? 'Running' : 'Pending',
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: NOW }],
      containerStatuses: [
        {
          name: 'main',
          image: 'web:1',
          imageID: '',
          ready,
          restartCount: 0,
          state: state ?? { running: { startedAt: NOW } },
        },
      ],
    },
  };
};

/** Some of the conditions in a status, and the pod. */
interface Sight extends Trait {
  readonly conditions?: readonly Condition[];
}

type Look = (sight: Sight) => Pick<Desired<unknown>, 'state' | 'conditions' | 'events' | 'status'>;

interface Situation {
  readonly spec: object;
  readonly status?: object;
  readonly children?: readonly KubeObject[];
  readonly related?: readonly KubeObject[];
}

const desiredOf = (kind: AnyKindDefinition, situation: Situation): Desired<object> =>
  kind.desired(observationOf(kind, { metadata, now: NOW, ...situation })) as Desired<object>;

const withIdentity = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, uid: `uid-${object.metadata?.name ?? ''}`, generation: 1 },
});

/** The status and the children of a rollout after some passes: a snapshot, and the Deployment of its only version. */
const begun = (kind: AnyKindDefinition, spec: object) => {
  let [status, children]: [object, readonly KubeObject[]] = [{}, []];
  for (let passes = 0; passes < 5; passes += 1) {
    const { status: next, children: intents } = desiredOf(kind, { spec, status, children });
    const objects = new Map(
      [...children, ...intents.map(({ object }) => withIdentity(object))].map((it) => [it.kind, it]),
    );
    [status, children] = [next, [...objects.values()]];
  }
  return { status, children };
};

/** A rollout whose Deployment reports how many pods are available. */
const lookOfRollout =
  (kind: AnyKindDefinition, spec: object): Look =>
  ({ conditions = [], ...trait }) => {
    const { status, children } = begun(kind, spec);
    const available = trait.state === undefined ? 1 : 0;
    const counts = { observedGeneration: 1, replicas: 1, readyReplicas: available, availableReplicas: available };
    const seen = children.map((child) => (child.kind === 'Deployment' ? { ...child, status: counts } : child));
    const deployment = seen.find((child): child is KubeDeployment => child.kind === 'Deployment');
    const labels = deployment?.spec?.selector.matchLabels ?? {};
    const related = [podIn({ ...trait, labels })];
    return desiredOf(kind, { spec, status: { ...status, conditions }, children: seen, related });
  };

/** A kind that owns its only pod. */
const lookOf =
  (kind: AnyKindDefinition, spec: object, owned: Trait = {}): Look =>
  ({ conditions = [], ...trait }) =>
    desiredOf(kind, { spec, status: { conditions }, children: [podIn({ ...owned, ...trait })] });

const rollout = { replicas: 1, template: { spec: { containers: [{ name: 'main', image: 'web:1' }] } } };
const classic = { deployment: { name: 'web', image: 'web', version: '1', replicas: 1 } };

const looks: readonly (readonly [string, Look])[] = [
  ['PodSet', lookOf(podSet, { replicas: 1 }, { labels: { 'app.example.com/podset': 'web' } })],
  ['AppService', lookOf(appService, { replicas: 1 })],
  ['ImmortalContainer', lookOf(immortalContainer, { image: 'web:1' }, { name: 'web-immortalpod' })],
  ['CanaryRollout', lookOfRollout(canaryRollout, rollout)],
  ['Deployer', lookOfRollout(deployer, classic)],
];

const message = 'secret "a" not found';
const broken = { waiting: { reason: 'CreateContainerConfigError', message } };
const failureIn = ({ conditions = [] }: ReturnType<Look>) =>
  conditions.filter(({ type }) => type === 'ContainerFailure');
const reasonsOf = ({ events = [] }: ReturnType<Look>) => events.map(({ reason }) => reason);

describe.each(looks)('%s with a container that cannot run', (_kind, look) => {
  it('names it with the message of the kubelet in a condition, in Ready and in an event', () => {
    const seen = look({ state: broken });
    expect(failureIn(seen)).toMatchObject([
      {
        status: 'True',
        reason: 'CreateContainerConfigError',
        message: expect.stringMatching(/^pod web-\w+, container main: secret "a" not found$/) as string,
      },
    ]);
    expect(seen.state.state).toBe('progressing');
    expect(`${seen.state.reason} ${seen.state.message}`).toMatch(/CreateContainerConfigError.*secret "a" not found/);
    expect(seen.events).toContainEqual({
      type: 'Warning',
      reason: 'CreateContainerConfigError',
      message: `container main: ${message}`,
    });
  });

  it('writes one event, and gives the same status in the next pass', () => {
    const first = look({ state: broken });
    const conditions = failureIn(first).map((condition) => ({ ...condition, lastTransitionTime: NOW }));
    const second = look({ state: broken, conditions });
    expect(reasonsOf(second)).not.toContain('CreateContainerConfigError');
    expect([failureIn(second), second.state]).toEqual([failureIn(first), first.state]);
  });

  it('names nothing when the pod is ready', () => {
    const conditions = failureIn(look({ state: broken })).map((it) => ({ ...it, lastTransitionTime: NOW }));
    const healed = look({ conditions });
    expect(failureIn(healed)).toEqual([]);
    expect(healed.state.message).not.toContain('secret');
  });

  it.each(['InvalidImageName', 'CreateContainerError', 'RunContainerError', 'CrashLoopBackOff'])(
    'names the reason %s',
    (reason) => {
      expect(failureIn(look({ state: { waiting: { reason, message: 'why' } } }))).toMatchObject([{ reason }]);
    },
  );

  it('names an image that cannot be pulled, whatever the reason of the kubelet', () => {
    for (const reason of ['ErrImagePull', 'ImagePullBackOff'])
      expect(failureIn(look({ state: { waiting: { reason } } }))).toMatchObject([{ reason: 'ImagePullFailed' }]);
  });
});
