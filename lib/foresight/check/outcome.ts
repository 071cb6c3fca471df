import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { groupVersionOf } from '#lib/apiserver/machinery/resources.ts';
import { controllingOwner } from '#lib/controllers/ownership.ts';
import { isActivePod, isReadyPod } from '#lib/controllers/pod-state.ts';
import type { StoredPod } from '#lib/controllers/workload.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ownershipsOf } from '#lib/desired/marks/ownership.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { resourceName } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import type { ClusterView } from '#lib/sim/world/scenario/scenario.ts';

const conditionsOf = ({ status }: ServerObject): readonly string[] => {
  const conditions = isPlainObject(status) && Array.isArray(status['conditions']) ? status['conditions'] : [];
  return conditions
    .filter((condition): condition is JsonObject => isPlainObject(condition))
    .filter(({ type }) => type === 'Ready' || type === 'Stalled')
    .map(({ type, status: said }) => `${String(type)}=${String(said)}`)
    .toSorted((a, b) => (a < b ? -1 : 1));
};

const imagesIn = (spec: unknown): string => {
  if (!isPlainObject(spec)) return '';
  const template = spec['template'];
  const pod = isPlainObject(template) ? template['spec'] : spec;
  const containers = isPlainObject(pod) && Array.isArray(pod['containers']) ? pod['containers'] : [];
  return containers.map((container: JsonObject) => String(container['image'])).join(' + ');
};

/**
 * Describes a child without its name: a pod by its images and readiness, another child by its kind, replicas and images. Returns
 * `undefined` for a ControllerRevision and for an inactive pod.
 */
const childInWords = (child: ServerObject): string | undefined => {
  const { kind, spec } = child;
  if (kind === 'ControllerRevision') return undefined;
  if (kind === 'Pod') {
    if (!isActivePod(child as StoredPod)) return undefined;
    return `Pod ${imagesIn(spec)} ${isReadyPod(child as StoredPod) ? 'ready' : 'not ready'}`;
  }
  const replicas =
    isPlainObject(spec) && typeof spec['replicas'] === 'number' ? ` ${spec['replicas']} × ${imagesIn(spec)}` : '';
  return `${kind}${replicas}`;
};

/**
 * Returns a function that reads the outcome of a run, for comparison with the run without faults. The outcome contains the
 * resources, their conditions Ready and Stalled, and their children by kind, replicas, images and readiness of pods. It contains
 * no times, counters or names of children.
 */
export const outcomeOf =
  (kinds: readonly AnyKindDefinition[]) =>
  (view: ClusterView): unknown =>
    kinds.flatMap((definition) => {
      const owned = new Map(definition.owns.map((each) => [resourceName(each), each]));
      const children = [...owned.values()].flatMap(({ apiVersion, plural }) =>
        view.objects({ group: groupVersionOf(apiVersion).group, plural }),
      );
      const { apiVersion, kind, plural } = refOf(definition);
      return view.objects({ group: groupVersionOf(apiVersion).group, plural }).map((object) => {
        const { uid, name, namespace = '' } = object.metadata;
        const own = children
          .filter((child) => ownershipsOf(child).some(({ owner }) => owner.uid === uid))
          .flatMap((child) => childInWords(child) ?? []);
        const isOwned = controllingOwner(object) !== undefined;
        return {
          object: isOwned ? kind : `${kind} ${namespace}/${name}`,
          conditions: conditionsOf(object),
          children: own.toSorted((a, b) => (a < b ? -1 : 1)),
        };
      });
    });
