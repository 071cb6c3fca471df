import type { ControllerRevision } from 'kubernetes-types/apps/v1.js';
import type { PodTemplateSpec } from 'kubernetes-types/core/v1.js';
import { classicTemplate } from '#constructs/pod-set/template.ts';
import type { ChildIntent } from '#lib/desired/result/intent.ts';
import { type History, historyOf } from '#lib/workload/controller-revision-history.ts';
import { isTerminating, type ObservedPod } from '#lib/workload/pod-state.ts';
import { podRevision, templateHash } from '#lib/workload/pod-template.ts';

/** A pod template and its hash. */
export interface TemplateRevision {
  readonly hash: string;
  readonly template: PodTemplateSpec;
}

/** The revisions of a PodSet in a pass, and the intents that store them. */
export interface Revisions {
  /** The revision of the desired template. */
  readonly update: TemplateRevision;
  /** The hash of the template before the update, or of `update` when no older pods remain. Terminating pods do not count. */
  readonly current: string;
  /** The revision of new pods while an update waits; `update` if the previous template is not known. */
  readonly held: TemplateRevision;
  readonly collisionCount: number;
  readonly intents: readonly ChildIntent[];
}

type Observed = Readonly<ControllerRevision>;

/** The input of {@link podSetRevisionsOf}. */
export interface RevisionsInput {
  readonly name: string;
  /** The template in the spec. @default the classic template */
  readonly template?: PodTemplateSpec | undefined;
  readonly status: { readonly currentRevision?: string; readonly collisionCount?: number };
  readonly pods: readonly ObservedPod[];
  readonly snapshots: readonly Observed[];
  /** ControllerRevisions that remained after the deletion of an earlier set of the same name. */
  readonly orphans: readonly Observed[];
  /**
   * The labels of `spec.selector`, to set on the ControllerRevisions. A later set with this selector finds only orphans with
   * these labels.
   */
  readonly labels: Readonly<Record<string, string>>;
  /** Number of unused revisions to keep. */
  readonly limit: number;
}

/** The revision of a PodSet without a template: the classic template. */
export const classicRevision: TemplateRevision = { hash: templateHash(classicTemplate), template: classicTemplate };

/** The hash that most pods have. If several hashes have equal counts, the first hash in alphabetical order. */
const mostFrequentHash = (pods: readonly ObservedPod[]): string | undefined => {
  const podsByHash = [...Map.groupBy(pods, podRevision)].filter(([hash]) => hash !== undefined);
  return podsByHash.toSorted(([a = '', { length: n }], [b = '', { length: m }]) => m - n || (a < b ? -1 : 1))[0]?.[0];
};

const currentOf = ({ pods, status }: RevisionsInput, update: string): string => {
  const old = pods.filter((pod) => podRevision(pod) !== update && !isTerminating(pod));
  return old.length === 0 ? update : (status.currentRevision ?? mostFrequentHash(old) ?? update);
};

const classicRevisions = (input: RevisionsInput): Revisions => {
  const current = currentOf(input, classicRevision.hash);
  const { collisionCount = 0 } = input.status;
  return { update: classicRevision, current, held: classicRevision, collisionCount, intents: [] };
};

const snapshots = (input: RevisionsInput, template: PodTemplateSpec): History => {
  const { name: owner, snapshots: children, orphans, labels, limit, pods, status } = input;
  const podHashes = pods.flatMap((pod) => podRevision(pod) ?? []);
  const used = [...new Set([...podHashes, status.currentRevision ?? ''])];
  const { collisionCount = 0 } = status;
  return historyOf({ owner, template, children, orphans, labels, limit, used, collisionCount });
};

/**
 * Whether pods have the classic template, and no ControllerRevision exists. The classic template then becomes the first entry of
 * the history.
 */
const mustStoreClassic = ({ pods, snapshots, orphans }: RevisionsInput): boolean =>
  snapshots.length === 0 && orphans.length === 0 && pods.some((pod) => podRevision(pod) === classicRevision.hash);

/**
 * Determines the revisions of a PodSet, and stores the templates as ControllerRevisions. Each template is stored while the spec
 * has it, so that it is still known after the next change of the spec. The classic template is in the code, so it is stored only
 * when the set has or had another template.
 */
export const podSetRevisionsOf = (input: RevisionsInput): Revisions => {
  const { template = classicTemplate } = input;
  if (input.template === undefined && input.snapshots.length === 0 && input.orphans.length === 0)
    return classicRevisions(input);
  const hasToBegin = input.template !== undefined && mustStoreClassic(input);
  const { current: wanted, revisions, intents } = snapshots(input, hasToBegin ? classicTemplate : template);
  const { collisionCount } = wanted;
  const update = { hash: hasToBegin ? templateHash(template, collisionCount) : wanted.hash, template };
  const current = currentOf(input, update.hash);
  const before = [classicRevision, ...revisions].find(({ hash }) => hash === current);
  const held = current !== update.hash && before ? before : update;
  return { update, current, held, collisionCount, intents };
};
