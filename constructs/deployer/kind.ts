import type { ChecksOptions } from '#constructs/rollout/checks/checks.ts';
import { childOf } from '#constructs/rollout/engine/pods/child.ts';
import { rolloutColumns } from '#constructs/rollout/engine/report/columns.ts';
import { rollOut } from '#constructs/rollout/engine/rollout.ts';
import { rolloutStatus } from '#constructs/rollout/engine/state/memory.ts';
import { podsOfRevision, RolloutPod } from '#constructs/rollout/pods-of.ts';
import { defineKind } from '#lib/desired/definition.ts';
import { ownerLabels } from '#lib/desired/marks/names.ts';
import { ControllerRevision, Deployment } from '#lib/kind/handles/reference.ts';
import type { KindHome } from '#lib/kind/shape.ts';
import { adapterOf } from './adapter.ts';
import { otherDeployers } from './identity.ts';
import { deployerSpec } from './schema.ts';
import { steerDeployer } from './steer.ts';

/**
 * Defines Deployer with another group, version, kind or names, or with another server for metrics.
 *
 * Caveats: the owner label has the other group. The annotation of commands and the label of revisions keep their names.
 *
 * @param options - `prometheusUrl`: the default server for metrics, in place of `PROMETHEUS_URL` of the operator. The others:
 *   group, version, kind and names, in place of `deploy.example.com/v1alpha1` Deployer
 * @example
 * await run({ kinds: [deployerWith({ prometheusUrl: 'http://prometheus.monitoring.svc:9090' })] });
 */
export const deployerWith = ({ prometheusUrl, ...home }: ChecksOptions & KindHome) => {
  const identity = {
    group: 'deploy.example.com',
    version: 'v1alpha1',
    kind: 'Deployer',
    shortNames: ['dpl'],
    ...home,
  };
  const others = otherDeployers(identity);
  return defineKind({
    ...identity,
    description: 'Deployer keeps an image running and rolls out new versions step by step.',
    spec: deployerSpec,
    status: rolloutStatus,
    scale: { spec: '.spec.deployment.replicas', status: '.status.replicas', selector: '.status.selector' },
    columns: rolloutColumns('.spec.deployment.replicas'),
    lintExceptions: [
      {
        rule: 'no-phase',
        path: 'status.phase',
        reason: 'the classic kind has it, and scripts read it; the conditions contain the same and more',
      },
      { rule: 'enum-case', path: 'spec.type', reason: 'manifests of the classic kind use canary' },
    ],
    owns: [ControllerRevision, Deployment],
    reads: [others, RolloutPod],
    ...(prometheusUrl === undefined && { operatorSettings: ['prometheusUrl'] as const }),
    desired: ({ resource, children, related, refused, outcomes, clock, settings }) =>
      rollOut({
        adapter: adapterOf({
          resource,
          kind: identity,
          snapshots: children.of(ControllerRevision),
          deployments: children.of(Deployment),
          others: related.list(others),
          prometheusUrl: prometheusUrl ?? settings.prometheusUrl,
        }),
        metadata: resource.metadata,
        stored: resource.status ?? {},
        children: children.of(Deployment).map((child) => childOf(child, refused)),
        podsOf: podsOfRevision(related, ownerLabels(identity, resource.metadata.name)),
        refused,
        outcomes,
        clock,
      }),
    steer: steerDeployer,
  });
};

/**
 * Deployer: an image and a version, run by one Deployment for each version. A new version is rolled out in steps. A metric that
 * names no server uses `PROMETHEUS_URL` of the operator.
 */
export const deployer = deployerWith({});
