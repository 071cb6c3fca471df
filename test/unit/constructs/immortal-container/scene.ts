import type { Pod as KubePod } from 'kubernetes-types/core/v1.js';
import { podNameOf, REVISION, START_ORDINAL } from '#constructs/immortal-container/identity.ts';
import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import { revisionOf } from '#constructs/immortal-container/revision.ts';
import type { ImmortalContainerStatus, Spec } from '#constructs/immortal-container/types.ts';
import { observationOf, type Situation } from '#lib/desired/observe/observation-of.ts';
import type { Desired } from '#lib/desired/result/desired.ts';
import { applyDefaults } from '#lib/kind/instance/defaults.ts';

type GivenSituation = Situation<typeof immortalContainer.spec, typeof immortalContainer.status>;
type GivenSpec = Partial<GivenSituation['spec']>;

/** The default time of a pass. */
const NOW = '2026-11-21T09:30:00.000000Z';

/** A spec as the API server stores it. */
const storedSpec = (spec: GivenSpec = {}): Spec =>
  applyDefaults(immortalContainer.spec, { image: 'nginx:latest', ...spec }) as Spec;

/** The properties that distinguish observed pods. */
export interface PodTraits {
  readonly uid?: string;
  readonly ordinal?: number;
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  /** @default true for a running pod */
  readonly ready?: boolean;
  readonly readySince?: string;
  /** The spec from which the pod was created. @default the spec of the resource */
  readonly madeOf?: GivenSpec;
  /** The reason of the pod itself, such as Evicted. */
  readonly reason?: string;
  readonly message?: string;
  readonly terminated?: {
    readonly exitCode: number;
    readonly reason?: string;
    readonly ranFor?: number;
    readonly at?: string;
  };
  readonly waiting?: string;
  readonly restarts?: number;
  /** The deletion timestamp: the end of the grace period. */
  readonly terminatingSince?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly node?: string;
}

const wholeSeconds = (millis: number): string => new Date(millis).toISOString().replace('.000', '');

const terminatedState = ({
  exitCode,
  reason,
  ranFor = 60,
  at = '2026-11-21T09:29:55Z',
}: NonNullable<PodTraits['terminated']>) => ({
  terminated: {
    exitCode,
    reason: reason ?? (exitCode === 0 ? 'Completed' : 'Error'),
    finishedAt: at,
    startedAt: wholeSeconds(Date.parse(at) - ranFor * 1000),
  },
});

const containerOf = ({ terminated, waiting, restarts = 0, ready = false }: PodTraits) => ({
  name: 'acontainer',
  image: 'nginx:latest',
  imageID: '',
  ready,
  restartCount: restarts,
  ...(terminated ? { state: terminatedState(terminated) } : {}),
  ...(waiting === undefined ? {} : { state: { waiting: { reason: waiting } } }),
});

/** An observed pod of "web". The default: running and ready, the first start. */
export const observed = (traits: PodTraits = {}): KubePod => {
  const { uid = 'pod-1', ordinal = 1, phase = 'Running', node = 'node-1', annotations } = traits;
  const ready = traits.ready ?? phase === 'Running';
  const own = { [START_ORDINAL]: String(ordinal), [REVISION]: revisionOf(storedSpec(traits.madeOf)) };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: podNameOf('web'),
      uid,
      creationTimestamp: '2026-11-21T09:00:00Z',
      annotations: { ...(annotations ?? own) },
      ...(traits.terminatingSince === undefined
        ? {}
        : { deletionTimestamp: traits.terminatingSince, deletionGracePeriodSeconds: 30 }),
    },
    spec: { containers: [], nodeName: node },
    status: {
      phase,
      ...(traits.reason === undefined ? {} : { reason: traits.reason }),
      ...(traits.message === undefined ? {} : { message: traits.message }),
      conditions: [
        {
          type: 'Ready',
          status: ready ? 'True' : 'False',
          lastTransitionTime: traits.readySince ?? '2026-11-21T09:00:05Z',
        },
        ...(traits.conditions ?? []),
      ],
      containerStatuses: [containerOf({ ...traits, ready })],
    },
  };
};

/** The input of one pass over "web". */
export interface Moment extends Omit<GivenSituation, 'spec'> {
  readonly spec?: GivenSpec;
  readonly pod?: KubePod;
}

/** The status at some point; counters are zero by default. */
export const statusWith = (status: Partial<ImmortalContainerStatus>): Partial<ImmortalContainerStatus> => ({
  startTimes: 0,
  consecutiveFailures: 0,
  containerRestarts: 0,
  ...status,
});

/** The result of the kind at a moment. */
export const desiredAt = ({ spec, pod, metadata, ...more }: Moment = {}): Desired<ImmortalContainerStatus> =>
  immortalContainer.desired(
    observationOf(immortalContainer, {
      now: NOW,
      ...more,
      metadata: { name: 'web', ...metadata },
      spec: { image: 'nginx:latest', ...spec },
      children: pod ? [pod] : [],
    }),
  );

/** The verbs of a result, with the reason of removals. */
export const verbsOf = ({ children }: Desired<unknown>): string[] =>
  children.map((intent) => (intent.verb === 'remove' ? `remove ${intent.because}` : intent.verb));
