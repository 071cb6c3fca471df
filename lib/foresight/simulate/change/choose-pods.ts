import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import { controllingOwner } from '#lib/controllers/ownership.ts';
import { isActivePod } from '#lib/controllers/pod-state.ts';
import type { StoredPod } from '#lib/controllers/workload.ts';
import type { PodChoice } from '#lib/foresight/simulate/script/script.ts';
import { findObject, listed } from '#lib/foresight/simulate/targets/find-object.ts';
import { type Impossible, NOT_FOUND } from '#lib/foresight/simulate/targets/impossible.ts';
import { drawn } from '#lib/foresight/simulate/targets/luck.ts';
import { fits } from '#lib/foresight/simulate/targets/pattern.ts';
import type { UserTargets } from '#lib/foresight/simulate/targets/script-targets.ts';

const imagesOf = ({ spec }: StoredPod): readonly string[] => spec.containers.map(({ image = '' }) => image);

/** Whether the object with a uid controls another object, directly or through other objects. */
const isBelow = (object: ServerObject, uid: string, targets: UserTargets): boolean => {
  let current: ServerObject | undefined = object;
  // The limit ends the loop if owner references form a cycle.
  for (let depth = 0; current !== undefined && depth < 10; depth += 1) {
    const owner = controllingOwner(current);
    if (owner === undefined) return false;
    if (owner.uid === uid) return true;
    current = targets.byUid(owner);
  }
  return false;
};

const described = (choice: PodChoice): string => {
  const { of, name, image } = choice;
  const parts = [
    name === undefined ? 'no pod' : `no pod "${name}"`,
    ...(of === undefined ? [] : [`of ${of}`]),
    ...(image === undefined ? [] : [`with image ${image}`]),
  ];
  return parts.join(' ');
};

/**
 * Selects the pods that a script names. Pods that are being deleted or have ended are left out.
 *
 * @param luck - the text that determines a random selection
 */
export const choosePods = (
  targets: UserTargets,
  subject: unknown,
  luck?: string,
): { readonly pods: readonly StoredPod[] } | Impossible => {
  const { server, namespace } = targets;
  const choice: PodChoice = typeof subject === 'string' ? { name: subject } : (subject as PodChoice);
  const owner = choice.of === undefined ? undefined : findObject(targets, choice.of);
  if (owner !== undefined && 'problem' in owner) return owner;
  const where = owner?.object.metadata.namespace ?? namespace;
  const all = (server.objects(resources.pods, where) as readonly StoredPod[]).filter(isActivePod);
  const pods = all.filter(
    (pod) =>
      (choice.name === undefined || pod.metadata.name === choice.name) &&
      (owner === undefined || isBelow(pod, owner.object.metadata.uid, targets)) &&
      (choice.image === undefined || imagesOf(pod).some((image) => fits(choice.image ?? '', image))),
  );
  if (pods.length === 0) {
    const names = all.map(({ metadata }) => metadata.name);
    return { problem: `there is ${described(choice)} in namespace ${where}; ${listed(names)}`, rule: NOT_FOUND };
  }
  return {
    pods:
      choice.all === true
        ? pods
        : drawn(pods, { count: choice.count ?? 1, luck: choice.random === true ? luck : undefined }),
  };
};
