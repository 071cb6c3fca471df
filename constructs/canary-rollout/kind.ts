import type { ChecksOptions } from '#constructs/rollout/checks/checks.ts';
import { rolloutColumns } from '#constructs/rollout/engine/report/columns.ts';
import { rolloutStatus } from '#constructs/rollout/engine/state/memory.ts';
import { RolloutPod } from '#constructs/rollout/pods-of.ts';
import { type SteeringAdapter, steerRollout } from '#constructs/rollout/steer.ts';
import { defineKind } from '#lib/desired/definition.ts';
import { ControllerRevision, Deployment } from '#lib/kind/handles/reference.ts';
import type { KindHome } from '#lib/kind/shape.ts';
import { desiredRollout } from './desired.ts';
import { CANARY_NAME_LENGTH, canaryRolloutSpec } from './schema.ts';

/** The functions for commands of CanaryRollout. A version is a pod template, and its name for users is the hash. */
const canarySteering: SteeringAdapter = {
  versionOf: ({ hash }) => hash,
  undo: ({ template }) => [{ path: ['spec', 'template'], value: template }],
};

/**
 * Defines CanaryRollout with another group, version, kind or names, or with another server for metrics.
 *
 * Caveats: the owner label has the other group. The annotation of commands and the label of revisions keep their names.
 *
 * @param options - `prometheusUrl`: the default server for metrics, in place of `PROMETHEUS_URL` of the operator. The others:
 *   group, version, kind and names, in place of `deploy.example.com/v1alpha1` CanaryRollout
 * @example
 * const kind = canaryRolloutWith({ prometheusUrl: 'http://prometheus.monitoring.svc:9090' });
 */
export const canaryRolloutWith = ({ prometheusUrl, ...home }: ChecksOptions & KindHome) => {
  const identity = {
    group: 'deploy.example.com',
    version: 'v1alpha1',
    kind: 'CanaryRollout',
    shortNames: ['crollout'],
    ...home,
  };
  return defineKind({
    ...identity,
    description: 'CanaryRollout keeps a number of pods running and rolls out new versions step by step.',
    name: { maxLength: CANARY_NAME_LENGTH },
    spec: canaryRolloutSpec,
    status: rolloutStatus,
    scale: { spec: '.spec.replicas', status: '.status.replicas', selector: '.status.selector' },
    columns: rolloutColumns('.spec.replicas'),
    lintExceptions: [
      {
        rule: 'no-phase',
        path: 'status.phase',
        reason: 'the classic kind has it, and scripts read it; the conditions contain the same and more',
      },
    ],
    owns: [ControllerRevision, Deployment],
    reads: [RolloutPod],
    ...(prometheusUrl === undefined && { operatorSettings: ['prometheusUrl'] as const }),
    desired: (seen) =>
      desiredRollout(seen, { ...identity, prometheusUrl: prometheusUrl ?? seen.settings.prometheusUrl }),
    steer: (rollout, order) => steerRollout(rollout, order, canarySteering),
  });
};

/**
 * CanaryRollout: a number of pods. A new pod template is rolled out in steps. Checks can pause or abort the rollout.
 *
 * @example
 * await run({ kinds: [canaryRollout] });
 */
export const canaryRollout = canaryRolloutWith({});
