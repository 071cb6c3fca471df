import type { Deployment as KubeDeployment } from 'kubernetes-types/apps/v1.js';
import type { RolloutAdapter } from '#constructs/rollout/engine/adapter.ts';
import type { Checks } from '#constructs/rollout/engine/checks.ts';
import { COMMAND_ANNOTATION } from '#constructs/rollout/engine/decide/command.ts';
import {
  childOf,
  DEPLOYMENT_REVISION_LABEL,
  REPLICAS_ANNOTATION,
  type RolloutChild,
} from '#constructs/rollout/engine/pods/child.ts';
import { planRollout } from '#constructs/rollout/engine/rollout.ts';
import type { RolloutSettings } from '#constructs/rollout/engine/settings.ts';
import type { RolloutStatus } from '#constructs/rollout/engine/state/memory.ts';
import type { RolloutSituation } from '#constructs/rollout/engine/state/situation.ts';
import { instantOf, passClock } from '#lib/desired/clock.ts';
import type { Outcomes } from '#lib/desired/observation.ts';
import { noOutcomes } from '#lib/desired/observe/create-observation.ts';
import { type Cell, type ModelState, newCell } from './state.ts';

/** The view of a child; a broken view reports unsettled children as settled. */
export type Sight = (child: RolloutChild) => RolloutChild;

/** The result of a pass. */
export interface Pass {
  readonly state: ModelState;
  /** The instant, in seconds, of the next requested pass. */
  readonly awaited: number | undefined;
}

const MICROS = 1_000_000;
const versions = ['a', 'b', 'c'].map((hash) => ({ hash, version: hash, name: hash }));

const deploymentOf = (hash: string, replicas: number): KubeDeployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: hash, labels: { [DEPLOYMENT_REVISION_LABEL]: hash } },
  spec: { replicas, selector: {}, template: {} },
});

const childIn = ({ hash, size, generation, observed, counted, available }: Cell): RolloutChild =>
  childOf({
    ...deploymentOf(hash, size),
    metadata: {
      name: hash,
      generation,
      labels: { [DEPLOYMENT_REVISION_LABEL]: hash },
      annotations: { [REPLICAS_ANNOTATION]: String(size) },
    },
    status: { observedGeneration: observed, replicas: counted, availableReplicas: available, readyReplicas: available },
  });

const noChecks: Checks = ({ analysis }) => ({
  verdict: 'pass',
  reason: 'NoChecks',
  message: '',
  effects: [],
  analysis,
  events: [],
});

const adapterOf = ({ asked, replicas }: ModelState, settings: RolloutSettings): RolloutAdapter => ({
  settings: { ...settings, replicas },
  requested: versions.find(({ hash }) => hash === asked) ?? { hash: asked, version: asked, name: asked },
  known: versions,
  deploymentOf,
  snapshots: () => [],
  selector: '',
  checks: noChecks,
});

/** The API server accepts every template. */
const accepting: Outcomes = {
  ...noOutcomes,
  dryRun: () => ({ state: 'succeeded', value: { accepted: true, message: '' }, at: instantOf(0) }),
};

const situationOf = (state: ModelState, settings: RolloutSettings, sight: Sight) => {
  const passing = passClock(state.now * MICROS);
  const annotations: Record<string, string> =
    state.command === undefined ? {} : { [COMMAND_ANNOTATION]: state.command };
  const situation: RolloutSituation = {
    adapter: adapterOf(state, settings),
    metadata: {
      name: 'web',
      namespace: 'default',
      uid: 'uid',
      generation: 1,
      creationTimestamp: instantOf(0),
      labels: {},
      annotations,
      annotationManagers: {},
    },
    stored: state.status,
    children: state.cells.map(childIn).map(sight),
    podsOf: () => [],
    refused: [],
    outcomes: accepting,
    clock: passing.clock,
  };
  return { situation, awaited: () => passing.awaited() };
};

const written = (cells: readonly Cell[], name: string, size: number): readonly Cell[] => {
  const cell = cells.find(({ hash }) => hash === name);
  if (cell === undefined) return [...cells, newCell(name, size)].toSorted((a, b) => (a.hash < b.hash ? -1 : 1));
  if (cell.size === size) return cells;
  return cells.map((it) => (it === cell ? { ...it, size, generation: it.generation + 1 } : it));
};

/** One pass of the real functions: writes to children, and the status when there were none. */
export const passOf = (state: ModelState, settings: RolloutSettings, sight: Sight): Pass => {
  const { situation, awaited } = situationOf(state, settings, sight);
  const { draft, children } = planRollout(situation);
  let { cells } = state;
  for (const intent of children) {
    const { name = '' } = intent.object.metadata ?? {};
    const replicas = (intent.object as { spec?: { replicas?: number } }).spec?.replicas ?? 0;
    if (intent.verb === 'apply') cells = written(cells, name, replicas);
    if (intent.verb === 'remove') cells = cells.filter(({ hash }) => hash !== name);
  }
  const micros = awaited();
  const next = micros === undefined ? undefined : Math.ceil(micros / MICROS);
  if (cells !== state.cells) return { state: { ...state, cells }, awaited: next };
  const deployments = situation.children.map(({ hash }) => ({ hash })) as unknown as RolloutStatus['deployments'];
  return { state: { ...state, status: { ...draft.memory, deployments } }, awaited: next };
};
