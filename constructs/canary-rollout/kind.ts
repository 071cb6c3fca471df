import { defineKind } from '#lib/desired/definition.ts';
import { ControllerRevision, Deployment } from '#lib/kind/reference.ts';
import type { ChecksOptions } from './checks/checks.ts';
import { desiredRollout, identity } from './desired.ts';
import { rolloutStatus } from './engine/memory.ts';
import { canaryRolloutSpec, NAME_LENGTH } from './schema.ts';

/**
 * Defines CanaryRollout for an operator of its own kind.
 *
 * @param options - what checks need besides the spec, such as the server that metrics without an address ask
 * @example
 * const kind = canaryRolloutWith({ prometheusUrl: 'http://prometheus.monitoring.svc:9090' });
 */
export const canaryRolloutWith = (options: ChecksOptions) =>
  defineKind({
    ...identity,
    shortNames: ['crollout'],
    description: 'CanaryRollout keeps a number of pods running, and replaces their version step by step.',
    name: { maxLength: NAME_LENGTH },
    spec: canaryRolloutSpec,
    status: rolloutStatus,
    scale: { spec: '.spec.replicas', status: '.status.replicas', selector: '.status.selector' },
    columns: [
      { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
      { name: 'Stable', type: 'string', jsonPath: '.status.stableVersion' },
      { name: 'Canary', type: 'string', jsonPath: '.status.canaryVersion' },
      { name: 'Step', type: 'string', jsonPath: '.status.step' },
      { name: 'Percent', type: 'integer', jsonPath: '.status.percent' },
      { name: 'Desired', type: 'integer', jsonPath: '.spec.replicas' },
      { name: 'Available', type: 'integer', jsonPath: '.status.availableReplicas' },
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      { name: 'Message', type: 'string', jsonPath: '.status.message', priority: 1 },
    ],
    owns: [ControllerRevision, Deployment],
    desired: (seen) => desiredRollout(seen, options),
  });

/**
 * CanaryRollout: a number of pods whose new versions come step by step, and go back when they do not prove themselves.
 *
 * @example
 * await run({ kinds: [canaryRollout] });
 */
export const canaryRollout = canaryRolloutWith({});
