import type { Static, TSchema } from 'typebox';
import { deepFreeze } from '#lib/desired/canonical/freeze.ts';
import type { AnyKindDefinition, KindDefinition } from '#lib/desired/definition.ts';
import { observationOf, type Situation } from '#lib/desired/observe/observation-of.ts';
import { resourceText } from '#lib/desired/observe/scoped-name.ts';
import { type Condition, conditionsOf } from '#lib/desired/result/conditions.ts';
import type { Desired, DesiredEvent, Effect } from '#lib/desired/result/desired.ts';
import { resultIssues } from '#lib/desired/result/result-check.ts';
import type { State } from '#lib/desired/result/state.ts';
import { limitedCall } from '#lib/desired/runaway/limited-kind.ts';
import { InvalidDesiredError, InvalidResourceError } from '#lib/errors.ts';
import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';
import { validateResource } from '#lib/kind/instance/validate.ts';
import { validateStatus } from '#lib/kind/instance/validate-status.ts';
import { ownedKind } from '#lib/plan/input.ts';
import { planChildren } from '#lib/plan/plan.ts';
import type { Step } from '#lib/plan/step.ts';
import { identified } from './identified.ts';
import { includes } from './includes.ts';
import { inWords } from './words.ts';

/** The action of one pass for one child, and the reason. */
export interface RenderedChild {
  /** The step. `skip` does not change the child. */
  readonly step: Step['step'];
  /** The reason of the step, such as `Missing`, `Changed`, `Unchanged` or the reason of `remove()`. */
  readonly reason: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** The desired object; absent unless the function returned `apply()`. */
  readonly object?: Readonly<KubeObject>;
}

/** The result of one pass over a resource, as plain data. */
export interface Rendered<St = unknown> {
  /**
   * Steps in the order of the loop: create, apply, adopt, release, replace, remove, prune, skip. Steps of one type are sorted by
   * the order of `owns`, in reverse for deletions, and then by name.
   */
  readonly children: readonly RenderedChild[];
  /**
   * The status as the loop would write it, with the conditions Ready, Reconciling and Stalled, and the conditions of the kind.
   */
  readonly status: St & { readonly observedGeneration: number; readonly conditions: readonly Condition[] };
  readonly state: State;
  readonly events: readonly DesiredEvent[];
  readonly effects: readonly Effect[];
  /** A summary in a few lines, for snapshots in tests. It does not depend on the time at which the test runs. */
  readonly text: string;
}

const checkSituation = <Sp extends TSchema, St extends TSchema>(
  definition: KindDefinition<Sp, St>,
  { spec, metadata = {} }: Situation<Sp, St>,
): void => {
  const name = metadata.name === undefined ? {} : { name: metadata.name };
  const issues = validateResource(definition, { metadata: name, spec });
  if (issues.length > 0) throw new InvalidResourceError(`${definition.kind} "${metadata.name ?? 'example'}"`, issues);
};

const checkResult = (definition: AnyKindDefinition, resource: KubeObject, desired: Desired<unknown>): void => {
  const malformed = resultIssues(desired);
  const issues = malformed.length > 0 ? malformed : validateStatus(definition, desired.status);
  if (issues.length > 0) throw new InvalidDesiredError(resourceText(definition, resource), issues);
};

/** A test has no earlier writes, so the observed fields decide between `apply` and `skip`. */
const renderStep = (step: Step, object: KubeObject | undefined, observed: KubeObject | undefined): RenderedChild => {
  const { apiVersion, kind } = step.kind;
  const isUnchanged = step.step === 'apply' && object !== undefined && includes(observed, object);
  const what = isUnchanged
    ? ({ step: 'skip', reason: 'Unchanged' } as const)
    : { step: step.step, reason: step.step === 'apply' ? 'Changed' : step.reason };
  return { ...what, apiVersion, kind, name: step.name, ...(object && { object }) };
};

/** Moves skipped children to the end, sorted by the order of `owns`, and by name. */
const inOrder = (children: readonly RenderedChild[], owns: readonly KindRef[]): readonly RenderedChild[] => {
  const rank = ({ kind, apiVersion }: RenderedChild): number =>
    owns.findIndex((owned) => owned.kind === kind && owned.apiVersion === apiVersion);
  const skipped = children.filter(({ step }) => step === 'skip');
  return [
    ...children.filter(({ step }) => step !== 'skip'),
    ...skipped.toSorted((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1)),
  ];
};

const isAbout = ({ kind, name }: Step, object: KubeObject, namespace: string): boolean => {
  const { apiVersion, metadata } = object;
  const isSameName = metadata?.name === name || `${metadata?.namespace ?? namespace}/${metadata?.name}` === name;
  return isSameName && object.kind === kind.kind && apiVersion === kind.apiVersion;
};

/**
 * Computes one pass of a resource without a cluster: calls the function of the kind, and returns the planned children and the
 * status.
 *
 * Flow: checks the spec and fills in its defaults → calls `desired()`, or `finalize()` if the kind has one and
 * `metadata.deletionTimestamp` is set → checks the result → compares the children in the result with the observed children.
 *
 * Caveats: CEL rules are not evaluated. An observed child counts as unchanged if it has all fields of the wanted object.
 * Unlike the loop, `render()` does not remove fields of earlier writes.
 *
 * @param definition - the kind
 * @param situation - the spec, and other input, such as status, children, outcomes and the time
 * @throws {InvalidResourceError} when spec or name do not fit the kind
 * @throws {InvalidDesiredError} when the loop would refuse the result of the function
 * @throws {UndeclaredReadError} when the function reads data that its definition does not declare
 * @throws {ReconcileError} of code `DesiredHung` when the function does not return within 1 s of CPU time, unless a debugger
 * listens
 * @throws {ConfigurationError} for an observed object of a kind that the definition does not declare
 * @example
 * const { text, status } = render(podSet, { spec: { replicas: 3 } });
 */
export const render = <Sp extends TSchema, St extends TSchema>(
  definition: KindDefinition<Sp, St>,
  situation: Situation<Sp, St>,
): Rendered<Static<St>> => {
  checkSituation(definition, situation);
  const given = deepFreeze(identified(situation));
  const observation = observationOf(definition, given);
  const { resource, clock } = observation;
  const isGoing = resource.metadata.deletionTimestamp !== undefined;
  const answer = isGoing && definition.finalize ? definition.finalize : definition.desired;
  const desired = limitedCall(answer, () => answer(observation));
  const { name, namespace, generation } = resource.metadata;
  checkResult(definition, resource, desired);
  const childOf = (object: KubeObject) => {
    const kind = ownedKind({ definition, resource }, object);
    return kind ? [{ kind, object }] : [];
  };
  const { children, orphans } = given;
  const observed = { children: children.flatMap(childOf), orphans: orphans.flatMap(childOf) };
  const { steps, stalled } = planChildren({ definition, resource, desired, ...observed });
  const state = stalled ?? desired.state;
  const applied = desired.children.filter(({ verb }) => verb === 'apply').map(({ object }) => object);
  const previous = resource.status?.conditions ?? [];
  const own = desired.conditions ? { conditions: desired.conditions } : {};
  const conditions = conditionsOf({ state, ...own, previous, generation, now: clock.now() });
  const renderedSteps = steps.map((step) => {
    const isThis = (object: KubeObject): boolean => isAbout(step, object, namespace);
    return renderStep(step, applied.find(isThis), children.find(isThis));
  });
  const rendered = {
    children: inOrder(renderedSteps, definition.owns),
    status: { ...desired.status, observedGeneration: generation, conditions },
    state,
    events: desired.events ?? [],
    effects: desired.effects ?? [],
  };
  return { ...rendered, text: inWords({ kind: definition.kind, name, ...rendered }) };
};

/**
 * Returns the objects that the function of a kind applies.
 *
 * @param rendered - the result of {@link render}
 * @param kind - a kind of children that the definition owns
 * @returns the objects that the function passed to `apply()`, sorted by name; not the children that the function keeps, adopts,
 * releases or removes
 * @example
 * const [deployment] = appliedOf(render(website, { spec }), Deployment);
 * expect(deployment?.spec?.replicas).toBe(2);
 */
export const appliedOf = <O extends KubeObject>(rendered: Rendered, kind: KindRef<O>): readonly Readonly<O>[] =>
  rendered.children
    .filter((child) => child.kind === kind.kind && child.apiVersion === kind.apiVersion)
    .flatMap(({ object }) => (object ? [object as Readonly<O>] : []))
    .toSorted((a, b) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1));

/**
 * Returns a condition of the rendered status.
 *
 * @param rendered - the result of {@link render}
 * @param type - the type of the condition, such as `Ready`
 * @returns `undefined` when the status has no condition of this type
 * @example
 * expect(conditionOf(rendered, 'Ready')).toMatchObject({ status: 'False', reason: 'Starting' });
 */
export const conditionOf = (rendered: Rendered, type: string): Condition | undefined =>
  rendered.status.conditions.find((condition) => condition.type === type);
