import { defineKind } from '#lib/desired/definition.ts';
import { Node, Pod, reading } from '#lib/kind/handles/reference.ts';
import type { KindHome } from '#lib/kind/shape.ts';
import { CONTAINER_FIELDS } from '#lib/workload/container-failure.ts';
import { immortalDesired } from './desired.ts';
import { ADOPT, IMMORTAL_NAME_LENGTH, identity, podNameOf, REVISION, START_ORDINAL } from './identity.ts';
import { immortalContainerSpec, immortalContainerStatus } from './schema.ts';

/**
 * The handle of the pod. An update in place can fail, for example if an admission webhook changes immutable fields in the same
 * request. The loop then replaces the pod.
 */
const ownPod = {
  ...reading(Pod, [
    ...[ADOPT, REVISION, START_ORDINAL].map((name) => `metadata.annotations.${name}`),
    'spec.nodeName',
    ...CONTAINER_FIELDS,
    'status.message',
    'status.reason',
  ]),
  onImmutableField: 'replace',
} as const;

/**
 * Defines ImmortalContainer with another group, version, kind or names.
 *
 * Caveats: the annotations of the pod keep the prefix `immortalcontainer.flugel.it`.
 *
 * @param options - group, version, kind and names, in place of `immortalcontainer.flugel.it/v1alpha1` ImmortalContainer; absent
 *   members keep their defaults
 * @example
 * export const daemon = immortalContainerWith({ group: 'apps.acme.io', kind: 'Daemon', shortNames: [] });
 */
export const immortalContainerWith = (options: KindHome) => {
  const home = { ...identity, shortNames: ['imc'], ...options };
  return defineKind({
    ...home,
    description: 'ImmortalContainer keeps one container running. When its pod ends, a new one is started.',
    name: { maxLength: IMMORTAL_NAME_LENGTH },
    validations: [
      {
        rule: "!self.metadata.name.contains('.')",
        message:
          'metadata.name must be a DNS label of 51 characters at most, without dots: the pod is called <name>-immortalpod',
        fieldPath: '.metadata.name',
      },
    ],
    spec: immortalContainerSpec,
    status: immortalContainerStatus,
    columns: [
      { name: 'Image', type: 'string', jsonPath: '.spec.image' },
      { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
      { name: 'Pod', type: 'string', jsonPath: '.status.currentPod' },
      { name: 'Starts', type: 'integer', jsonPath: '.status.startTimes' },
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      { name: 'Status', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].message", priority: 1 },
    ],
    lintExceptions: [
      {
        rule: 'no-phase',
        path: 'status.phase',
        reason: 'the classic kind has it, and scripts read it; the conditions say the same and more',
      },
    ],
    owns: [ownPod],
    reads: [Pod, Node],
    orphanNames: ({ metadata }) => [podNameOf(metadata.name)],
    desired: (seen) => immortalDesired(home, seen),
  });
};

/**
 * ImmortalContainer: one pod that is replaced when it ends, unless `spec.suspend` is set. Two pods of one resource never exist at
 * the same time.
 *
 * @example
 * await run({ kinds: [immortalContainer] });
 */
export const immortalContainer = immortalContainerWith({});
