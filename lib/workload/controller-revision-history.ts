import type { ControllerRevision as KubeControllerRevision } from 'kubernetes-types/apps/v1.js';
import type { PodTemplateSpec } from 'kubernetes-types/core/v1.js';
import { adopt, apply, type ChildIntent, keep, remove } from '#lib/desired/result/intent.ts';
import type { Revision } from '#lib/desired/steering.ts';
import {
  type CurrentRevision,
  currentRevision,
  type RevisionInput,
  revisionObject,
  revisionsOf,
  surplusRevisions,
  tryRevision,
} from './controller-revision.ts';

type Observed = Readonly<KubeControllerRevision>;

/** The desired template, and the observed ControllerRevisions. */
export interface HistoryInput extends Pick<RevisionInput, 'owner' | 'labels' | 'annotations'> {
  /** The desired template. */
  readonly template: PodTemplateSpec;
  /** The observed revisions: `children.of(ControllerRevision)`. */
  readonly children: readonly Observed[];
  /**
   * `orphans.of(ControllerRevision)`, for kinds with a selector. Orphans in the format of {@link revisionObject} with names that
   * begin with `<owner>-` are adopted.
   *
   * @default none
   */
  readonly orphans?: readonly Observed[];
  /** `spec.revisionHistoryLimit`: number of unused revisions to keep, ≥ 0. */
  readonly limit: number;
  /** Hashes of other revisions in use, such as those of pods, and the stable revision of a rollout. @default none */
  readonly used?: readonly string[];
  /** The value of `status.collisionCount`. @default 0 */
  readonly collisionCount?: number;
}

/** The revisions of a resource, and the intents for them. */
export interface History {
  /** The revision of the desired template. */
  readonly current: CurrentRevision;
  /**
   * All observed revisions in a known format, adoptable orphans included, sorted by number. The current revision is included only
   * if it is observed.
   */
  readonly revisions: readonly Revision[];
  /** The intents for the current revision, the children and the adoptable orphans. */
  readonly intents: readonly ChildIntent[];
}

const nameOf = ({ metadata }: Observed): string => metadata?.name ?? '';

/** Other tools may use the same labels, so the format and the name must fit, too. */
const adoptable = ({ owner, orphans = [] }: HistoryInput): Observed[] =>
  orphans.filter((object) => tryRevision(object)?.name.startsWith(`${owner}-`) === true);

/**
 * Stores the template of a resource as a ControllerRevision, and keeps older ControllerRevisions up to a limit.
 *
 * Flow: applies the current revision, or adopts it if it is an orphan → keeps older revisions, and removes the oldest unused
 * ones beyond the limit → adopts the orphans of an earlier resource with this name (`kubectl delete --cascade=orphan`).
 *
 * Guarantees: the function is pure. ControllerRevisions in an unknown format are kept.
 *
 * Assumptions: the kind owns `ControllerRevision`, and returns these intents together with the intents for its other
 * children.
 *
 * @param input - the template and the observed objects
 * @example
 * const { current, intents } = historyOf({ owner: name, template, children: children.of(ControllerRevision), limit: 10 });
 * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/statefulset/stateful_set_control.go
 * (truncateHistory)
 */
export const historyOf = (input: HistoryInput): History => {
  const { owner, template, children, limit, used = [], labels, annotations, collisionCount = 0 } = input;
  const orphans = adoptable(input);
  const revisions = revisionsOf([...children, ...orphans]);
  const current = currentRevision(template, { owner, revisions, collisionCount });
  const surplus = surplusRevisions(revisions, { limit, used: new Set([...used, current.hash]) });
  const goes = new Set(surplus.map(({ name }) => name));
  const object = revisionObject({ owner, ...current, ...(labels && { labels }), ...(annotations && { annotations }) });
  const others = children.filter((child) => nameOf(child) !== current.name);
  const isOrphan = orphans.some((orphan) => nameOf(orphan) === current.name);
  return {
    current,
    revisions,
    intents: [
      ...(isOrphan ? [] : [apply(object)]),
      ...others.map((child) => (goes.has(nameOf(child)) ? remove(child, 'RevisionHistoryLimit') : keep(child))),
      ...orphans.map(adopt),
    ],
  };
};
