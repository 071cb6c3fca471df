import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { groupVersionOf } from '#lib/apiserver/machinery/resources.ts';
import { controllingOwner } from '#lib/controllers/ownership.ts';
import { isActivePod } from '#lib/controllers/pod-state.ts';
import type { StoredPod } from '#lib/controllers/workload.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { markedParentOf } from '#lib/desired/marks/elsewhere.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { resourceName } from '#lib/kind/handles/reference.ts';
import { namesOf } from '#lib/kind/names.ts';
import type { ClusterView, Invariant } from '#lib/sim/world/scenario/scenario.ts';

const valueAt = (object: unknown, path: string): unknown =>
  path
    .split('.')
    .filter((name) => name !== '')
    .reduce<unknown>((value, name) => (isPlainObject(value) ? value[name] : undefined), object);

/** Collects all values of members with this name, at any depth. */
const membersNamed = (value: unknown, name: string): readonly unknown[] => {
  if (Array.isArray(value)) return value.flatMap((item) => membersNamed(item, name));
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => (key === name ? [member] : membersNamed(member, name)));
};

const PERCENT = /^(\d+)%$/;

const surgeOf = (spec: unknown, replicas: number): number => {
  const sizes = membersNamed(spec, 'maxSurge').map((value) => {
    const percent = PERCENT.exec(String(value))?.[1];
    return percent === undefined ? Number(value) : Math.ceil((Number(percent) * replicas) / 100);
  });
  return Math.max(0, ...sizes.filter((size) => Number.isFinite(size)));
};

/**
 * The maximum number of pods that a resource allows: its replicas plus the largest `maxSurge`. `undefined` without a number of
 * replicas.
 */
const boundOf = (object: ServerObject, path: string): number | undefined => {
  const replicas = valueAt(object, path);
  return typeof replicas === 'number' ? replicas + surgeOf(object['spec'], replicas) : undefined;
};

/**
 * The number of pods of a child: 1 for an active pod, 0 for another pod or a child that is being deleted, otherwise
 * `spec.replicas`, or 0 if it is absent.
 */
const countOf = (child: ServerObject): number => {
  if (child.kind === 'Pod') return isActivePod(child as StoredPod) ? 1 : 0;
  if (child.metadata.deletionTimestamp !== undefined) return 0;
  const replicas = (child['spec'] as JsonObject | undefined)?.['replicas'];
  return typeof replicas === 'number' ? replicas : 0;
};

const sumsOf = (view: ClusterView, { owns }: AnyKindDefinition): ReadonlyMap<string, number> => {
  const sums = new Map<string, number>();
  const owned = new Map(owns.map((kind) => [resourceName(kind), kind]));
  for (const { apiVersion, plural } of owned.values()) {
    for (const child of view.objects({ group: groupVersionOf(apiVersion).group, plural })) {
      const uid = (controllingOwner(child) ?? markedParentOf(child)?.owner)?.uid;
      if (uid !== undefined) sums.set(uid, (sums.get(uid) ?? 0) + countOf(child));
    }
  }
  return sums;
};

/**
 * Checks that the children of a resource never have more pods than the largest number that the spec has allowed so far: replicas
 * plus `maxSurge`. The check applies to kinds with a scale subresource.
 */
const boundInvariant = (definition: AnyKindDefinition, path: string): Invariant => {
  const largest = new Map<string, number>();
  const resource = { group: definition.group, plural: namesOf(definition).plural };
  return {
    name: `never more pods than ${definition.kind} asks for`,
    check: (view) => {
      const sums = sumsOf(view, definition);
      for (const object of view.objects(resource)) {
        const { uid, name } = object.metadata;
        const bound = Math.max(boundOf(object, path) ?? Infinity, largest.get(uid) ?? 0);
        largest.set(uid, bound);
        const sum = sums.get(uid) ?? 0;
        if (sum > bound) return `${sum} pods of "${name}", ${bound} may be`;
      }
      return undefined;
    },
    memory: () => [...largest],
  };
};

/**
 * Returns the invariants that follow from the definitions of kinds. Each run needs new invariants, because an invariant stores
 * the largest numbers of one run.
 */
export const builtInInvariants = (kinds: readonly AnyKindDefinition[]): readonly Invariant[] =>
  kinds.flatMap((definition) =>
    definition.scale === undefined ? [] : [boundInvariant(definition, definition.scale.spec)],
  );
