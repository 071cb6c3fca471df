import { freeSlots, ownerLabels } from '#lib/desired/marks/names.ts';
import { carries } from '#lib/desired/observe/selection.ts';
import type { Desired } from '#lib/desired/result/desired.ts';
import { keep, release } from '#lib/desired/result/intent.ts';
import { ControllerRevision, Pod } from '#lib/kind/handles/reference.ts';
import type { Static } from '#lib/kind/schema/schema.ts';
import type { ObservedPod } from '#lib/workload/pod-state.ts';
import { podRevision, REVISION_LABEL } from '#lib/workload/pod-template.ts';
import { checkTemplate } from '#lib/workload/template-check.ts';
import { censusOf, countsOf } from './look/census.ts';
import { adoptable, claimPods } from './look/claim.ts';
import { rivalsIn } from './look/rivals.ts';
import { nextMoves } from './move/moves.ts';
import { type PodsPlan, planPods } from './move/plan-pods.ts';
import { podName } from './pods.ts';
import { podSetReport } from './report/report.ts';
import { podSetRevisionsOf, type Revisions } from './revision/revisions.ts';
import type { podSetStatus } from './schema.ts';
import { selectorLabels, selectorProblem } from './selector.ts';
import { podSetSettingsOf } from './settings.ts';
import type { FoundPods, PodSetObservation, PodSetResource, Update } from './situation.ts';
import { classicTemplate, type PodRecipe, podOf } from './template.ts';

interface ApiKind {
  readonly group: string;
  readonly kind: string;
}

/**
 * Other controllers of pods that match `spec.selector`. The operator does not adopt their pods, but reports the overlap. Empty
 * without a selector in the spec, because then only pods with the owner label of this set match.
 */
const rivalsOf = ({ resource: { spec, metadata }, related }: PodSetObservation, kind: ApiKind): readonly string[] =>
  spec.selector === undefined ? [] : rivalsIn(related.list(Pod, spec.selector.matchLabels), { ...metadata, ...kind });

/**
 * Finds and counts the pods. If the selector contradicts the template (`isSound` is false), all owned pods count, whatever their
 * labels are.
 */
const lookAt = (
  seen: PodSetObservation,
  { kind, isSound }: { readonly kind: ApiKind; readonly isSound: boolean },
): FoundPods => {
  const { resource, children, orphans, clock } = seen;
  const { spec, metadata, status: before = {} } = resource;
  const own = ownerLabels(kind, metadata.name);
  const settings = podSetSettingsOf(spec);
  const claim = claimPods(children.of(Pod), isSound ? selectorLabels(resource, own) : {});
  const revisions = podSetRevisionsOf({
    name: metadata.name,
    template: spec.template,
    status: before,
    pods: claim.mine,
    snapshots: children.of(ControllerRevision),
    orphans: orphans.of(ControllerRevision).filter((snapshot) => carries(snapshot, own)),
    labels: spec.selector?.matchLabels ?? {},
    limit: spec.revisionHistoryLimit,
  });
  const { minReadySeconds } = settings;
  const census = censusOf(claim.mine, { revision: revisions.update.hash, minReadySeconds, clock });
  const consent = `${kind.group}/adopt`;
  return {
    own,
    consent,
    settings,
    claim,
    revisions,
    census,
    counts: countsOf(census),
    rivals: rivalsOf(seen, kind),
    before,
  };
};

const recipeOf = (
  { metadata }: PodSetResource,
  { hash, template, own }: Revisions['update'] & Pick<FoundPods, 'own'>,
): PodRecipe => {
  const app = template.metadata?.labels?.['app'] ?? metadata.name;
  return { template, labels: { app, [REVISION_LABEL]: hash, ...own } };
};

/**
 * The state of an update. If no pod of the new template exists when old pods are to be replaced, a dry run checks such a pod
 * first.
 */
const updateOf = ({ resource, outcomes, clock }: PodSetObservation, found: FoundPods): Update => {
  const { settings, counts, claim, revisions, before } = found;
  const isWanted = counts.active > counts.updated && !settings.isOnDelete && !settings.isPaused;
  if (!isWanted) return { isWanted, isRolling: false };
  const { hash } = revisions.update;
  if (claim.mine.some((pod) => podRevision(pod) === hash)) return { isWanted, isRolling: true };
  const { name, uid, generation } = resource.metadata;
  const [free = name] = freeSlots(1, { name, uid, taken: new Set(claim.mine.map(podName)) });
  const pod = podOf(free, recipeOf(resource, { ...revisions.update, own: found.own }));
  const check = checkTemplate({
    revision: hash,
    generation,
    object: pod,
    outcomes,
    conditions: before.conditions ?? [],
    clock,
  });
  return { isWanted, isRolling: check.verdict === 'valid', check };
};

/**
 * The template and the labels of new pods. While an update is paused, or its dry run does not permit a start, new pods get the
 * previous template, if known.
 */
const recipeNow = (
  { resource }: PodSetObservation,
  { settings, counts, revisions, own }: FoundPods,
  { isRolling }: Update,
): PodRecipe => {
  const isHeld = counts.active > counts.updated && !settings.isOnDelete && !isRolling;
  return recipeOf(resource, { ...(isHeld ? revisions.held : revisions.update), own });
};

const keepAll = (found: FoundPods): PodsPlan => ({
  intents: found.claim.mine.map(keep),
  ...(found.before.lastFailure && { lastFailure: found.before.lastFailure }),
});

/** Whether the pod seems to be one that the operator has released: it has a revision label, but no owner. */
const isReleased = (pod: ObservedPod | undefined): boolean =>
  pod !== undefined && podRevision(pod) !== undefined && pod.metadata?.ownerReferences === undefined;

const act = (seen: PodSetObservation, found: FoundPods, update: Update): PodsPlan => {
  const { resource, orphans, related, refused, clock } = seen;
  const { own, settings, claim, revisions, census, counts, before } = found;
  const isFull = refused.some(
    ({ verb, kind, reason }) => verb === 'create' && kind === 'Pod' && reason === 'QuotaExceeded',
  );
  const moves = nextMoves({ settings, census, counts, isRolling: update.isRolling, isFull, clock });
  const plan = planPods({
    set: resource.metadata,
    settings,
    pods: [...claim.mine, ...claim.quarantined],
    census,
    moves,
    recipe: recipeNow(seen, found, update),
    orphans: adoptable(orphans.of(Pod), { own, consent: found.consent, revision: revisions.update.hash }),
    isReleasedName: (podName) => isReleased(related.get(Pod, podName)),
    lastFailure: before.lastFailure,
    clock,
  });
  const released = claim.quarantined.map(release);
  return { ...plan, intents: released.length === 0 ? plan.intents : [...plan.intents, ...released] };
};

/**
 * The desired-state function of PodSet.
 *
 * Flow: find and count the pods, and determine the revisions → dry-run a new template before pods are replaced → create, delete
 * or replace pods → report status, conditions and events.
 *
 * Guarantees: see `nextMoves` for the number of pods. While the other pods of the set do not change, the name of a new pod is the
 * same in each pass. A repeated create after a lost response therefore cannot make a second pod.
 *
 * @param kind - the group and the kind of the API
 */
export const desiredPodSet = (kind: ApiKind, seen: PodSetObservation): Desired<Static<typeof podSetStatus>> => {
  const { resource } = seen;
  const { name } = resource.metadata;
  const problem = selectorProblem(resource.spec.selector?.matchLabels, {
    name,
    template: resource.spec.template ?? classicTemplate,
  });
  const found = lookAt(seen, { kind, isSound: problem === undefined });
  const update: Update = problem === undefined ? updateOf(seen, found) : { isWanted: false, isRolling: false };
  const plan = problem === undefined ? act(seen, found, update) : keepAll(found);
  const report = podSetReport(seen, {
    found,
    update,
    waitsAfter: plan.waitsAfter,
    lastFailure: plan.lastFailure,
    problem,
    labels: found.own,
  });
  const { intents } = found.revisions;
  return {
    children: intents.length === 0 ? plan.intents : [...plan.intents, ...intents],
    ...report,
    ...(update.check?.effect && { effects: [update.check.effect] }),
  };
};
