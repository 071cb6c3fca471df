import { isStray } from '#lib/desired/marks/marks.ts';
import { carries, isOrphan } from '#lib/desired/observe/selection.ts';
import { ApiError } from '#lib/errors.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import { type Context, cacheOf } from '#lib/loop/context/context.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import {
  type ChildTarget,
  childTargetOf,
  liveResource,
  lookUpChild,
  shownAsOurs,
  type Written,
} from '#lib/loop/pass/live-child.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import { pointer } from '#lib/plan/decide/patch.ts';
import type { Step } from '#lib/plan/step.ts';

type AdoptStep = Extract<Step, { readonly step: 'adopt' }>;
type ReleaseStep = Extract<Step, { readonly step: 'release' }>;

/** For each snapshot, whether its resource may adopt objects. The check is made once per pass, for all adoptions. */
const checks = new WeakMap<Snapshot, Promise<boolean>>();

/** Whether the resource exists and is not being deleted. Otherwise the garbage collector would delete the adopted object. */
const mayAdopt = async (context: Context, seen: Snapshot): Promise<boolean> => {
  const asked = checks.get(seen);
  if (asked) return asked;
  const check = liveResource(context, seen).then(
    (live) => live?.metadata.uid === seen.uid && live.metadata.deletionTimestamp === undefined,
  );
  checks.set(seen, check);
  return check;
};

/** Whether an error can mean that the object is gone, has another uid, or has changed since the read. */
const isPrecondition = (error: unknown): boolean =>
  error instanceof ApiError && [404, 409, 422].includes(error.httpStatus);

interface Adoption {
  readonly step: AdoptStep;
  /** The orphan in the state of the last read. */
  readonly live: ApiObject;
}

/**
 * Whether the field manager has applied the object before. The adoption is then a patch, because an apply would remove the fields
 * of the earlier apply.
 */
const hasApplied = ({ metadata }: ApiObject, fieldManager: string): boolean =>
  (
    metadata as { readonly managedFields?: readonly { readonly manager?: string; readonly operation?: string }[] }
  ).managedFields?.some(({ manager, operation }) => manager === fieldManager && operation === 'Apply') === true;

/** Sends an adoption: the metadata in the object of the step, bound to the resource version of the read. */
const adopted = async (
  { api, fieldManager }: Context,
  { kind, ...target }: ChildTarget,
  { step, live }: Adoption,
): Promise<ApiObject> => {
  const { uid, resourceVersion, ownerReferences = [] } = live.metadata as CachedObject['metadata'];
  const metadata = { ...step.object.metadata, uid, resourceVersion };
  if (!hasApplied(live, fieldManager))
    return api.apply(kind, target, { ...step.object, metadata }, { fieldManager, force: true });
  const owners = [...ownerReferences, ...(metadata.ownerReferences ?? [])];
  const patch = { metadata: { ...metadata, ownerReferences: owners } };
  return api.patch(kind, target, patch, { fieldManager, type: 'merge' });
};

/**
 * Makes an orphan a child of the resource. Live gets of the resource and of the object first show whether the object is still an
 * orphan. The write is bound to the resource version of the read. The write sets only the owner reference, our label and, for
 * most restored children, the annotation of the intent.
 *
 * @returns `outdated` when the next pass has to decide again, for example because the object has changed, or the resource is
 * being deleted
 */
export const adoptChild = async (context: Context, seen: Snapshot, step: AdoptStep): Promise<Written> => {
  const { kind, ...target } = childTargetOf(seen, step);
  if (!(await mayAdopt(context, seen))) return 'outdated';
  const live = await lookUpChild(context, { kind, ...target });
  if (!live || !isOrphan(live) || live.metadata.uid !== step.uid) return 'outdated';
  // If the object has lost its annotation or label since the snapshot, the object is no longer ours.
  if (step.reason === 'Restored' && !(isStray(live) && carries(live, step.object.metadata?.labels ?? {})))
    return 'outdated';
  const { resourceVersion } = live.metadata;
  try {
    const answer = await adopted(context, { kind, ...target }, { step, live });
    cacheOf(context, kind).overlay(answer);
    return shownAsOurs(context, seen, { step, answer });
  } catch (error) {
    if (!isPrecondition(error)) throw error;
    const now = await lookUpChild(context, { kind, ...target });
    if (now?.metadata.uid === step.uid && now.metadata.resourceVersion === resourceVersion) throw error;
    return 'outdated';
  }
};

const isOwnedBy = ({ metadata }: Pick<CachedObject, 'metadata'>, uid: string): boolean =>
  metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;

const taken = (path: string, value: string): object[] => [
  { op: 'test', path, value },
  { op: 'remove', path },
];

/** The patch that releases a child: it removes our owner reference, label and annotation, and nothing else. */
const releasePatch = (ownerUid: string, { uid, marks }: ReleaseStep, { metadata }: CachedObject): object[] => {
  const { labels = {}, annotations = {}, ownerReferences = [] } = metadata;
  const reference = `/metadata/ownerReferences/${ownerReferences.findIndex((owner) => owner.uid === ownerUid)}`;
  return [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path: `${reference}/uid`, value: ownerUid },
    { op: 'remove', path: reference },
    ...Object.entries(marks.labels).flatMap(([key, value]) =>
      labels[key] === value ? taken(pointer('/metadata/labels', key), value) : [],
    ),
    ...marks.annotations.flatMap((key) =>
      annotations[key] === undefined ? [] : taken(pointer('/metadata/annotations', key), annotations[key]),
    ),
  ];
};

/**
 * Releases a child. The write removes our owner reference, our label and the annotation of the intent, so that no query for our
 * objects finds the child. Other metadata stays.
 *
 * @returns `outdated` when the patch failed because the child changed; `done` also when the child is gone or already released
 */
export const releaseChild = async (context: Context, seen: Snapshot, step: ReleaseStep): Promise<Written> => {
  const { api, fieldManager } = context;
  const { uid } = seen.resource.metadata;
  const { kind, ...target } = childTargetOf(seen, step);
  const cache = cacheOf(context, kind);
  const held = cache.get(keyOf(target.namespace, target.name));
  if (held?.metadata.uid !== step.uid || !isOwnedBy(held, uid)) return 'done';
  try {
    cache.overlay(await api.patch(kind, target, releasePatch(uid, step, held), { type: 'json', fieldManager }));
    return 'done';
  } catch (error) {
    if (!isPrecondition(error)) throw error;
    const live = await lookUpChild(context, { kind, ...target });
    if (live?.metadata.uid !== step.uid || !isOwnedBy(live, uid)) return 'done';
    if (live.metadata.resourceVersion === held.metadata.resourceVersion) throw error;
    return 'outdated';
  }
};
