import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { noOutcomes } from '#lib/desired/observe/create-observation.ts';
import type { State } from '#lib/desired/result/state.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { ObjectCache } from '#lib/loop/cache/cache.ts';
import { fieldManagerOf } from '#lib/loop/cache/field-manager.ts';
import { projectionOf } from '#lib/loop/cache/projection/projection.ts';
import type { PassFailure } from '#lib/loop/context/hooks.ts';
import type { Key } from '#lib/loop/context/key.ts';
import { noControllerMetrics } from '#lib/loop/context/metrics.ts';
import { compute, unchangedIn } from '#lib/loop/pass/compute/compute.ts';
import { allowedSteps, isFinalized } from '#lib/loop/pass/finalize.ts';
import { lacksFinalizer } from '#lib/loop/pass/finalizer.ts';
import { observe } from '#lib/loop/pass/observe.ts';
import { outdatedReports } from '#lib/loop/pass/report/extension-report.ts';
import { nextStatus, statusDiffers } from '#lib/loop/pass/report/status.ts';
import { HeldReleases } from '#lib/loop/related/held-releases.ts';
import { Lookups } from '#lib/loop/related/lookups.ts';
import { needsOf, readSourceId, sourceId } from '#lib/loop/source/needs.ts';
import type { Step } from '#lib/plan/step.ts';

/** Options of {@link lookAt}: one resource, and the objects in the cluster that its pass reads. */
export interface LookOptions {
  readonly definition: AnyKindDefinition;
  readonly key: Key;
  /** The listed objects of the kind itself and of each kind in `owns` and `reads`, by {@link sourceId} and {@link readSourceId}. */
  readonly objects: ReadonlyMap<string, readonly ApiObject[]>;
  /** The time of the pass, in epoch milliseconds. */
  readonly now: number;
  /** See `Context.ownNamespace`. */
  readonly ownNamespace?: string | undefined;
  readonly onFailure?: (failure: PassFailure) => void;
}

/** The writes that a pass would make. */
export interface Look {
  /** The change of the finalizer, after which the pass ends. Absent when no change is needed. */
  readonly finalizer?: 'add' | 'remove';
  /** The writes to children, in the order of the plan. */
  readonly steps: readonly Exclude<Step, { readonly step: 'skip' }>[];
  /** The state of the resource. Absent when the stored status needs no write, or `finalizer` is present. */
  readonly state?: State;
  /** Present when the function or the selector of the kind failed, or the result was invalid. */
  readonly failed?: true;
}

const NOTHING: Look = { steps: [] };

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const quiet = { ...silent, child: () => quiet };

/**
 * Computes the decision of a pass without executing it, with the same code as the loop.
 *
 * Guarantees: sends no request. The decision is empty if an operator that has just been started would write nothing for the
 * resource.
 *
 * Caveats: a running operator also remembers outcomes of effects, refusals and its own last writes. The decision of that operator
 * may differ. The decision lacks the deletions of children elsewhere that an earlier resource left behind.
 *
 * A missing list counts as empty. An error of a function is not thrown, but passed to `onFailure`.
 */
export const lookAt = ({ definition, key, objects, now, ownNamespace, onFailure }: LookOptions): Look => {
  const needs = needsOf([definition]);
  const cacheFor = (kind: KindRef, id = sourceId(kind)): ObjectCache => {
    const need = needs.get(id);
    const project = need?.project ?? projectionOf(kind.fields);
    const isClusterScoped = need?.isClusterScoped ?? (() => false);
    const cache = new ObjectCache({ project, isClusterScoped, onChange: () => undefined });
    cache.replace(objects.get(id) ?? [], '1');
    return cache;
  };
  const context = {
    definition,
    resources: cacheFor(refOf(definition)),
    children: new Map(definition.owns.map((kind) => [kind, cacheFor(kind)])),
    related: new Map((definition.reads ?? []).map((kind) => [kind, cacheFor(kind, readSourceId(kind))])),
    effects: { outcomes: () => noOutcomes },
    lookups: new Lookups(),
    memory: new Map(),
    log: quiet,
    metrics: noControllerMetrics,
    now: () => now,
    ...(ownNamespace !== undefined && { ownNamespace }),
    ...(onFailure && { onFailure }),
  };
  const seen = observe(context, key);
  if (seen === undefined) return NOTHING;
  if (lacksFinalizer(definition, seen)) return { ...NOTHING, finalizer: 'add' };
  const held = new HeldReleases(context).stateOf(seen);
  const wanted = held ? unchangedIn(seen, held) : compute(context, seen);
  if (isFinalized(definition, seen, wanted)) return { ...NOTHING, finalizer: 'remove' };
  const steps = allowedSteps(seen, wanted.plan).filter((step) => step.step !== 'skip');
  const { state } = wanted.desired;
  const fieldManager = fieldManagerOf(definition);
  const says = definition.extension
    ? outdatedReports(definition, seen, state).length > 0
    : statusDiffers(seen, nextStatus(seen, wanted.desired, { refused: [], fieldManager }));
  return { steps, ...(says && { state }), ...(wanted.failed && { failed: true as const }) };
};
