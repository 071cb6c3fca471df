import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { limitedKind } from '#lib/desired/runaway/limited-kind.ts';
import { ApiError } from '#lib/errors.ts';
import { refOf } from '#lib/kind/names.ts';
import type { ApiObject, KubeApi } from '#lib/kube/interface/api.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { type Look, lookAt } from '#lib/loop/record/look.ts';
import { type Need, namespacesOf, needsOf, sourceId } from '#lib/loop/source/needs.ts';
import { listAll, type ObjectFamily } from '../../objects/family.ts';
import { operatorNamespace } from '../../objects/operator-namespace.ts';
import { UNREADABLE, unreadInWords } from '../../objects/unread.ts';
import { failedCallInWords } from '../../project/project-file.ts';

/** A prediction of the next pass of the operator. */
export interface NextPass {
  /** Steps such as `create Pod web-x7k2p (Missing)`; empty when there is nothing to do. */
  readonly steps: readonly string[];
  /** The reason why the pass cannot be computed. In this case, `steps` is empty. */
  readonly unknown?: string;
}

/** Options for {@link nextPass}. */
export interface NextPassOptions {
  readonly family: ObjectFamily;
  /** The current time, in epoch milliseconds. */
  readonly now: number;
  /** The working directory of the command. Messages show paths below this directory as relative paths. */
  readonly cwd: string;
}

class Unread extends Error {}

const listed = async (
  api: Pick<KubeApi, 'list'>,
  need: Need,
  { definition, namespace }: { readonly definition: AnyKindDefinition; readonly namespace: string | undefined },
): Promise<readonly ApiObject[]> => {
  const { kind: resource, labelSelector } = need;
  // A cluster-scoped resource may have children in any namespace.
  const places = namespacesOf(need, namespace === undefined ? undefined : [namespace]) ?? [undefined];
  const selected = resource.elsewhere && labelSelector !== undefined ? { labelSelector } : {};
  try {
    const lists = await Promise.all(
      places.map(async (place) => listAll(api, resource, { ...selected, namespace: place })),
    );
    return lists.flatMap(({ items }) => items);
  } catch (error) {
    if (!(error instanceof ApiError) || !UNREADABLE.has(error.httpStatus)) throw error;
    const verb = definition.owns.includes(resource) ? 'owns' : 'reads';
    throw new Unread(unreadInWords({ owner: definition.kind, verb, resource }, error), { cause: error });
  }
};

/** Reads the objects that a pass over this resource uses, except objects of optional kinds. */
const objectsFor = async (
  api: Pick<KubeApi, 'list'>,
  definition: AnyKindDefinition,
  object: ApiObject,
): Promise<ReadonlyMap<string, readonly ApiObject[]>> => {
  const own = sourceId(refOf(definition));
  const { namespace } = object.metadata;
  const others = [...needsOf([definition])].filter(([id, need]) => id !== own && !need.isOptional);
  const lists = await Promise.all(
    others.map(async ([id, need]) => [id, await listed(api, need, { definition, namespace })] as const),
  );
  return new Map([...lists, [own, [object]]]);
};

const finalizerStep = ({ finalizer }: Look): readonly string[] =>
  finalizer === undefined ? [] : [finalizer === 'add' ? 'add the finalizer of its kind' : 'remove its finalizer'];

/** The predicted write of the status. If the pass writes a child, there is no prediction, because the status may change, too. */
const statusStep = ({ steps, state }: Look): readonly string[] => {
  if (state === undefined || steps.length > 0) return [];
  const reason = state.reason === '' ? '' : ` (${state.reason})`;
  return [`write the status: ${state.state}${reason}`];
};

/**
 * Computes one pass over a resource with the snapshot, function and plan of the loop.
 *
 * Caveats: only the operator has the outcomes of effects, the refused writes, and the memory of the loop. The real pass may
 * differ in steps that depend on these.
 *
 * @param api - the API server
 * @param definition - the kind
 * @param options - the resource with its descendants, and the time
 */
export const nextPass = async (
  api: Pick<KubeApi, 'list'>,
  definition: AnyKindDefinition,
  { family, now, cwd }: NextPassOptions,
): Promise<NextPass> => {
  const { object } = family.root;
  if (object.apiVersion !== refOf(definition).apiVersion)
    return { steps: [], unknown: `it is of ${object.apiVersion}` };
  let failure: string | undefined;
  try {
    const objects = await objectsFor(api, definition, object);
    const look = lookAt({
      definition: limitedKind(definition),
      key: keyOf(object.metadata.namespace, object.metadata.name),
      objects,
      now,
      ownNamespace: await operatorNamespace(api, [definition]),
      onFailure: (failed) => (failure ??= failedCallInWords(failed, cwd)),
    });
    if (look.failed) return { steps: [], unknown: failure ?? look.state?.message ?? '' };
    const children = look.steps.map(({ step, kind, name, reason }) => `${step} ${kind.kind} ${name} (${reason})`);
    return { steps: [...finalizerStep(look), ...children, ...statusStep(look)] };
  } catch (error) {
    if (error instanceof Unread) return { steps: [], unknown: error.message };
    throw error;
  }
};
