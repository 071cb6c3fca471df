import { after, type Clock } from '#lib/desired/clock.ts';
import type { DryRunOutcome, Outcomes } from '#lib/desired/observation.ts';
import type { Condition } from '#lib/desired/result/conditions.ts';
import type { DesiredCondition, Effect } from '#lib/desired/result/desired.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';

/**
 * The time from the refusal of a template to its first repeated check, in seconds. For each further check, this time doubles.
 */
const PROBE_SECONDS = 300;

/**
 * The time after which an update continues without a result of the dry run, in seconds. For example, a full quota may refuse
 * every dry run.
 */
const PATIENCE_SECONDS = 10;

const MESSAGE_LENGTH = 300;

/** The result of the check of a template. */
export interface TemplateCheck {
  readonly verdict: 'valid' | 'unknown' | 'invalid';
  readonly condition: DesiredCondition;
  /** The dry run. The function of the kind returns this effect as long as the check is needed. */
  readonly effect: Effect;
}

/** The input of {@link checkTemplate}. */
export interface TemplateCheckInput {
  readonly revision: string;
  readonly generation: number;
  /** The object of the dry run: a pod, or an object with a pod template, such as a Deployment. */
  readonly object: KubeObject;
  readonly outcomes: Outcomes;
  readonly conditions: readonly Condition[];
  readonly clock: Clock;
}

/** The type of the condition with the result of the dry run. */
export const TEMPLATE_VALID = 'TemplateValid';
/** The reason of the condition when the API server has accepted the template. */
export const ACCEPTED = 'Accepted';
/** The reason of the condition when there is no result of the dry run, and the update continues. */
export const UNANSWERED = 'Unanswered';

/** The condition of a template that the API server accepts, for example because pods with the template exist. */
export const provenTemplate: DesiredCondition = {
  type: TEMPLATE_VALID,
  status: 'True',
  reason: ACCEPTED,
  message: 'the API server accepts the template',
};

/** Users do not see the object of the dry run, so its name is replaced. */
const sentence = (message: string, name: string): string =>
  message.replaceAll(`"${name}"`, 'of the template').slice(0, MESSAGE_LENGTH);

/** @returns the last transition time, if the condition has this status for the current generation */
const saidSince = ({ conditions, generation }: TemplateCheckInput, status: Condition['status']): string | undefined => {
  const found = conditions.find((condition) => condition.type === TEMPLATE_VALID);
  return found?.status === status && found.observedGeneration === generation ? found.lastTransitionTime : undefined;
};

/** The number of repeated checks that are due: 5, 10, 20, … minutes after the refusal. */
const probesOf = (input: TemplateCheckInput): number => {
  const since = saidSince(input, 'False');
  if (since === undefined) return 0;
  let probes = 0;
  while (probes < 20 && input.clock.reached(after(since, PROBE_SECONDS * 2 ** probes))) probes += 1;
  return probes;
};

const unknown = (input: TemplateCheckInput, effect: Effect): TemplateCheck => {
  const since = saidSince(input, 'Unknown');
  const isPatient = since === undefined || !input.clock.reached(after(since, PATIENCE_SECONDS));
  const condition = { type: TEMPLATE_VALID, status: 'Unknown' } as const;
  if (!isPatient) {
    const message = 'the API server gave no answer to the dry run of the template; the update continues';
    return { verdict: 'valid', condition: { ...condition, reason: UNANSWERED, message }, effect };
  }
  const message = 'the template is dry-run in the API server';
  return { verdict: 'unknown', condition: { ...condition, reason: 'Asking', message }, effect };
};

const judged = (outcome: DryRunOutcome, input: TemplateCheckInput, effect: Effect): TemplateCheck => {
  if (outcome.state !== 'succeeded') {
    const wasRefused = saidSince(input, 'False') !== undefined;
    return wasRefused ? refused(input, effect) : unknown(input, effect);
  }
  if (outcome.value.accepted) return { verdict: 'valid', condition: provenTemplate, effect };
  return refused(input, effect, outcome.value.message);
};

const refused = (input: TemplateCheckInput, effect: Effect, message?: string): TemplateCheck => {
  const said = input.conditions.find(({ type }) => type === TEMPLATE_VALID)?.message ?? '';
  const text = message === undefined ? said : sentence(message, input.object.metadata?.name ?? '');
  return {
    verdict: 'invalid',
    condition: { type: TEMPLATE_VALID, status: 'False', reason: 'InvalidTemplate', message: text },
    effect,
  };
};

/**
 * Checks a template by a dry run of `object`, before the update replaces pods.
 * A change of the spec, or the next repetition, starts another dry run. A refused template is checked again 5, 10, 20, …
 * minutes after the refusal, because a policy may have changed.
 *
 * @returns verdict `valid` also without a result after ten seconds, unless an earlier dry run for this generation refused the
 * template
 */
export const checkTemplate = (input: TemplateCheckInput): TemplateCheck => {
  const key = `template/${input.revision}/${input.generation}/${probesOf(input)}`;
  const effect: Effect = { effect: 'dryRun', key, object: input.object };
  return judged(input.outcomes.dryRun(key), input, effect);
};
