import type {
  ControllerRevision as KubeControllerRevision,
  Deployment as KubeDeployment,
} from 'kubernetes-types/apps/v1.js';
import { checksOf } from '#constructs/rollout/checks/checks.ts';
import type { RolloutAdapter } from '#constructs/rollout/engine/adapter.ts';
import { DEPLOYMENT_REVISION_LABEL } from '#constructs/rollout/engine/pods/child.ts';
import type { RolloutRevision } from '#constructs/rollout/engine/revision.ts';
import { rolloutSettingsOf } from '#constructs/rollout/settings.ts';
import { templatesIn } from '#constructs/rollout/templates-in.ts';
import { ownerLabels, selectorString } from '#lib/desired/marks/names.ts';
import type { Revision as Snapshot } from '#lib/desired/steering.ts';
import { historyOf } from '#lib/workload/controller-revision-history.ts';
import { withPodLabels } from '#lib/workload/pod-template.ts';
import { type ObstacleInput, obstacleOf } from './obstacles.ts';
import type { StoredDeployer } from './schema.ts';
import { deploymentName, templateOf, versionIn } from './template.ts';

/** The input of {@link adapterOf}. */
export interface AdapterInput extends ObstacleInput {
  readonly kind: { readonly group: string; readonly kind: string };
  readonly snapshots: readonly Readonly<KubeControllerRevision>[];
  readonly deployments: readonly Readonly<KubeDeployment>[];
}

const revisionOf = (
  { spec: { deployment } }: Readonly<StoredDeployer>,
  { hash, template }: Pick<Snapshot, 'hash' | 'template'>,
): RolloutRevision => {
  const version = versionIn(template) ?? hash;
  return { hash, version, name: deploymentName(deployment.name, version) };
};

/**
 * The Deployment of a version. The selector has the owner label and the hash of the revision, so it matches no pods of other
 * versions or Deployers.
 */
const deploymentOf = (
  { resource, kind }: Pick<AdapterInput, 'resource' | 'kind'>,
  { hash, template }: Pick<Snapshot, 'hash' | 'template'>,
  replicas: number,
): KubeDeployment => {
  const { metadata, spec } = resource;
  const selector = { ...ownerLabels(kind, metadata.name), [DEPLOYMENT_REVISION_LABEL]: hash };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: revisionOf(resource, { hash, template }).name,
      labels: { ...template.metadata?.labels, ...selector },
    },
    spec: {
      replicas,
      minReadySeconds: spec.minReadySeconds,
      revisionHistoryLimit: 0,
      selector: { matchLabels: selector },
      template: withPodLabels(template, selector),
    },
  };
};

/**
 * The adapter of Deployer. As in the classic operator, `spec.deployment` determines the template, and the name of the Deployment
 * contains the version.
 */
export const adapterOf = (input: AdapterInput): RolloutAdapter => {
  const { resource, kind, snapshots, deployments, prometheusUrl } = input;
  const { metadata, spec } = resource;
  const { revisionHistoryLimit: limit } = spec;
  const owner = { owner: metadata.name, template: templateOf(spec.deployment), children: snapshots, limit };
  const { current, revisions } = historyOf(owner);
  const isNew = !revisions.some(({ hash }) => hash === current.hash);
  // The spec has the current template. ControllerRevisions have the others, or Deployments if a ControllerRevision is missing.
  const kept = isNew ? [...revisions, current] : revisions.map((one) => (one.hash === current.hash ? current : one));
  const lost = templatesIn(metadata.name, deployments).filter(({ hash }) => !kept.some((one) => one.hash === hash));
  const known: readonly Snapshot[] = [...lost, ...kept];
  const obstacle = obstacleOf(input);
  return {
    settings: rolloutSettingsOf(spec, spec.deployment.replicas),
    requested: revisionOf(resource, current),
    known: known.map((snapshot) => ({
      ...revisionOf(resource, snapshot),
      ...(isNew && snapshot === current ? { isNew } : {}),
    })),
    deploymentOf: (hash, replicas) => deploymentOf(input, known.find((one) => one.hash === hash) ?? current, replicas),
    snapshots: (inUse) => historyOf({ ...owner, used: [...inUse] }).intents,
    selector: selectorString(ownerLabels(kind, metadata.name)),
    checks: checksOf(spec, { prometheusUrl }),
    ...(obstacle && { obstacle }),
  };
};
