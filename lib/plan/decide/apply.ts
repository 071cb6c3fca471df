import type { ChildIntent } from '#lib/desired/result/intent.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';
import { covers } from '#lib/plan/fields/covers.ts';
import { lostFields } from '#lib/plan/fields/lost-fields.ts';
import { overridesOf } from '#lib/plan/fields/overrides.ts';
import { type FieldOverride, isPinned, type Pin } from '#lib/plan/fields/pin.ts';
import type { PlanInput } from '#lib/plan/input.ts';
import { intentHashOf, type Stamped, stamp, withReferenceOf } from '#lib/plan/stamp.ts';
import type { Child, Step } from '#lib/plan/step.ts';
import { planImmutable } from './immutable.ts';
import { patchOf } from './patch.ts';

type ApplyIntent = ChildIntent & { readonly verb: 'apply' };
type ApplyReason = Extract<Step, { readonly step: 'apply' }>['reason'];

/** An existing child, the object that an apply would send, the pin of the child, and the uid of the parent. */
interface Comparison {
  readonly live: Child;
  readonly wanted: Stamped;
  readonly pin: Pin | undefined;
  readonly owner: string;
}

/** Returns the reason for another apply; undefined if no apply is necessary. */
const reasonToApply = ({ live, wanted, pin, owner }: Comparison): ApplyReason | undefined => {
  if ((pin?.intent ?? intentHashOf(live.object)) !== wanted.intent) return 'Changed';
  if (pin && !isPinned(pin, live.owned)) return 'Drifted';
  if (!pin && !(live.owned && covers(live.owned.set.tree, wanted.object, { owner, live: live.object })))
    return 'Unverified';
  return overridesIn({ live, wanted, pin, owner }).length > 0 ? 'Overridden' : undefined;
};

/**
 * Returns the changes that admission made to fields of the intent. The pin has the changes from the response to the last write.
 * Without a pin, for example after a restart, the cached fields of the child show only some of the changes. For a `createOnce`
 * child without a pin, the result is empty, because most of its fields cannot be changed any more.
 */
const overridesIn = ({ live, wanted, pin, owner }: Comparison): readonly FieldOverride[] => {
  if (pin) return pin.overrides ?? [];
  if (live.kind.createOnce) return [];
  return overridesOf(wanted.object, live.object, { owner, tree: live.owned?.set.tree });
};

/** The step for one intent; `pin` is the uid of the existing child and the pin to remember for it. */
export interface ChildDecision {
  readonly step: Step;
  readonly pin?: readonly [uid: string, pin: Pin];
}

/**
 * Decides whether a child is created, applied, replaced or left unchanged. For an intent that the API server refused because of
 * an immutable field, see {@link planImmutable}.
 *
 * A child needs no write while its owned fields are as in the response to the last write of the same intent. A write is
 * necessary, however, if admission changed fields in that write. After a restart, this response is unknown. The child then needs
 * no write if three conditions are true: its annotation has the hash of the intent, the operator owns every field of the intent,
 * and no cached field shows a change by admission. A child that is being deleted is always left unchanged.
 */
export const planApply = (
  input: PlanInput,
  { intent, kind, name }: { readonly intent: ApplyIntent; readonly kind: KindRef; readonly name: string },
  live: Child | undefined,
): ChildDecision => {
  const target = { kind, name };
  if (!live) return { step: { step: 'create', ...target, declared: intent.object, reason: 'Missing' } };
  const wanted = withReferenceOf(stamp(input, intent.object), live.object);
  const { uid = '', deletionTimestamp } = live.object.metadata ?? {};
  if (deletionTimestamp !== undefined) return { step: { step: 'skip', ...target, reason: 'Terminating' } };
  const pin = input.pins?.get(uid);
  const comparison = { live, wanted, pin, owner: input.resource.metadata.uid };
  const reason = reasonToApply(comparison);
  if (reason === undefined) {
    const held = pin ?? { intent: wanted.intent, ...(live.owned && { owned: live.owned }) };
    return { step: { step: 'skip', ...target, reason: 'Unchanged' }, pin: [uid, held] };
  }
  const refused = input.immutables?.get(uid);
  if (refused?.intent === wanted.intent)
    return { step: planImmutable(input, { ...target, uid }, refused), ...(pin && { pin: [uid, pin] as const }) };
  const resourceVersion = intent.ifUnchanged?.metadata?.resourceVersion;
  const patch = patchOf({ kind, live, wanted: wanted.object, resourceVersion });
  const step = {
    step: 'apply',
    ...target,
    ...wanted,
    uid,
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(patch && { patch }),
    ...(reason === 'Drifted' && pin?.owned && { lost: lostFields(pin.owned.set.tree, live.owned?.set.tree) }),
    ...(reason === 'Overridden' && { overrides: overridesIn(comparison) }),
    reason,
  } as const;
  return pin ? { step, pin: [uid, pin] } : { step };
};
