import type {
  ControllerRevision as KubeControllerRevision,
  Deployment as KubeDeployment,
} from 'kubernetes-types/apps/v1.js';
import type { PodTemplateSpec } from 'kubernetes-types/core/v1.js';
import { type ChecksOptions, checksOf } from '#constructs/rollout/checks/checks.ts';
import { checkFaults } from '#constructs/rollout/checks/faults.ts';
import type { Obstacle, RolloutAdapter } from '#constructs/rollout/engine/adapter.ts';
import { childOf, DEPLOYMENT_REVISION_LABEL } from '#constructs/rollout/engine/pods/child.ts';
import type { RolloutRevision } from '#constructs/rollout/engine/revision.ts';
import { rollOut } from '#constructs/rollout/engine/rollout.ts';
import type { RolloutStatus, rolloutStatus } from '#constructs/rollout/engine/state/memory.ts';
import { podsOfRevision } from '#constructs/rollout/pods-of.ts';
import { rolloutSettingsOf } from '#constructs/rollout/settings.ts';
import { templatesIn } from '#constructs/rollout/templates-in.ts';
import type { Resource } from '#lib/desired/definition.ts';
import { ownerLabels, selectorString } from '#lib/desired/marks/names.ts';
import type { Observation } from '#lib/desired/observation.ts';
import type { Desired } from '#lib/desired/result/desired.ts';
import type { Revision as Snapshot } from '#lib/desired/steering.ts';
import { ControllerRevision, Deployment } from '#lib/kind/handles/reference.ts';
import { revisionName } from '#lib/workload/controller-revision.ts';
import { historyOf } from '#lib/workload/controller-revision-history.ts';
import { withPodLabels } from '#lib/workload/pod-template.ts';
import type { canaryRolloutSpec } from './schema.ts';

/** A CanaryRollout in the form in which the API server stores it. */
export type StoredCanaryRollout = Resource<typeof canaryRolloutSpec, typeof rolloutStatus>;

interface Named {
  readonly name: string;
  readonly minReadySeconds: number;
  /** The label that names the owner of a pod. */
  readonly labels: Readonly<Record<string, string>>;
}

/** The Deployment of a version. The name contains the hash of the version, so the selector never has to change. */
const deploymentOf = (
  { name, minReadySeconds, labels: own }: Named,
  { hash, template }: Pick<Snapshot, 'hash' | 'template'>,
  replicas: number,
): KubeDeployment => {
  const selector = { ...own, [DEPLOYMENT_REVISION_LABEL]: hash };
  const labels = { app: name, ...template.metadata?.labels, ...selector };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: revisionName(name, hash), labels: { [DEPLOYMENT_REVISION_LABEL]: hash } },
    spec: {
      replicas,
      minReadySeconds,
      revisionHistoryLimit: 0,
      selector: { matchLabels: selector },
      template: withPodLabels(template, labels),
    },
  };
};

/** A revision of a CanaryRollout. Users see the hash of the revision as its name, because a pod template has no version. */
const revisionOf = (name: string, { hash }: Pick<Snapshot, 'hash'>): RolloutRevision => ({
  hash,
  version: hash,
  name: revisionName(name, hash),
});

/** The group and the kind of the API, and the options of the checks. */
export interface RolloutKind extends ChecksOptions {
  readonly group: string;
  readonly kind: string;
}

interface AdapterInput extends RolloutKind {
  readonly resource: Readonly<StoredCanaryRollout>;
  readonly snapshots: readonly Readonly<KubeControllerRevision>[];
  readonly deployments: readonly Readonly<KubeDeployment>[];
}

const invalid = (faults: readonly string[]): { readonly obstacle?: Obstacle } =>
  faults.length === 0 ? {} : { obstacle: { reason: 'InvalidSpec', message: faults.join('; ').slice(0, 1024) } };

const emptyTemplate: PodTemplateSpec = {};

/** The adapter of CanaryRollout: each pod template is a version, and is stored as a ControllerRevision. */
const adapterOf = ({ resource, snapshots, deployments, prometheusUrl, ...kind }: AdapterInput): RolloutAdapter => {
  const { metadata, spec } = resource;
  const { name } = metadata;
  const labels = ownerLabels(kind, name);
  const { template, revisionHistoryLimit: limit, minReadySeconds } = spec;
  const history = (used: readonly string[]) =>
    historyOf({ owner: name, template, children: snapshots, limit, used, labels: {} });
  const { current, revisions } = history([]);
  const isNew = !revisions.some(({ hash }) => hash === current.hash);
  // The spec has the current template. ControllerRevisions have the others, or Deployments if a ControllerRevision is missing.
  const kept = isNew ? [...revisions, current] : revisions.map((one) => (one.hash === current.hash ? current : one));
  const lost = templatesIn(name, deployments).filter(({ hash }) => !kept.some((snapshot) => snapshot.hash === hash));
  const known = [...lost, ...kept];
  return {
    settings: rolloutSettingsOf(spec, spec.replicas),
    requested: revisionOf(name, current),
    known: known.map((snapshot) => ({
      ...revisionOf(name, snapshot),
      ...(isNew && snapshot === current ? { isNew } : {}),
    })),
    deploymentOf: (hash, replicas) => {
      const snapshot = known.find((candidate) => candidate.hash === hash);
      const content = { hash, template: snapshot?.template ?? emptyTemplate };
      return deploymentOf({ name, minReadySeconds, labels }, content, replicas);
    },
    snapshots: (inUse) => history([...inUse]).intents,
    selector: selectorString(labels),
    checks: checksOf(spec, { prometheusUrl }),
    ...invalid(checkFaults(spec, prometheusUrl)),
  };
};

/** The desired-state function of CanaryRollout. */
export const desiredRollout = (
  { resource, children, related, refused, outcomes, clock }: Observation<StoredCanaryRollout>,
  kind: RolloutKind,
): Desired<RolloutStatus> => {
  const deployments = children.of(Deployment);
  return rollOut({
    adapter: adapterOf({ ...kind, resource, snapshots: children.of(ControllerRevision), deployments }),
    metadata: resource.metadata,
    stored: resource.status ?? {},
    children: deployments.map((child) => childOf(child, refused)),
    podsOf: podsOfRevision(related, ownerLabels(kind, resource.metadata.name)),
    refused,
    outcomes,
    clock,
  });
};
