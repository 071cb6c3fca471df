import { after, type Clock } from '#lib/desired/clock.ts';
import type { DryRunOutcome, Outcomes } from '#lib/desired/observation.ts';
import type { Condition } from '#lib/desired/result/conditions.ts';
import type { DesiredCondition, Effect } from '#lib/desired/result/desired.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';

/** The delay before a refused template is checked again, in seconds. The delay doubles each time. */
const PROBE_SECONDS = 300;

/**
 * The time after which an update continues without the result of the dry run, in seconds. For example, if a quota refuses the dry
 * run, it is unknown whether the template is valid, and the quota may stay full forever.
 */
const PATIENCE_SECONDS = 10;

const MESSAGE_LENGTH = 300;

/** The result of the check of a template. */
export interface TemplateCheck {
  readonly verdict: 'valid' | 'unknown' | 'invalid';
  readonly condition: DesiredCondition;
  /** The dry run. The function of the kind must return this effect as long as the check is needed. */
  readonly effect: Effect;
}

/** The input of {@link checkTemplate}. */
export interface TemplateCheckInput {
  readonly revision: string;
  readonly generation: number;
  /** The object of the dry run: a pod, or an object that makes pods. */
  readonly object: KubeObject;
  readonly outcomes: Outcomes;
  readonly conditions: readonly Condition[];
  readonly clock: Clock;
}

/** The type of the condition. */
export const TEMPLATE_VALID = 'TemplateValid';
/** The reason of the condition when the API server has accepted the template. */
export const ACCEPTED = 'Accepted';
/** The reason of the condition when there is no result of the dry run, and the update continues. */
export const UNANSWERED = 'Unanswered';

/** The condition of a template whose pods exist already. */
export const provenTemplate: DesiredCondition = {
  type: TEMPLATE_VALID,
  status: 'True',
  reason: ACCEPTED,
  message: 'the API server accepts the template',
};

/** The message of the API server, without the name of the object, because users do not see that object. */
const sentence = (message: string, name: string): string =>
  message.replaceAll(`"${name}"`, 'of the template').slice(0, MESSAGE_LENGTH);

/** The time since which the condition has this status, if it is for the current generation. */
const saidSince = ({ conditions, generation }: TemplateCheckInput, status: Condition['status']): string | undefined => {
  const found = conditions.find((condition) => condition.type === TEMPLATE_VALID);
  return found?.status === status && found.observedGeneration === generation ? found.lastTransitionTime : undefined;
};

/** The number of repeated checks of a refused template that are due by now: after 5 minutes, 10, 20, …. */
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
 * Makes a dry run of the pods of a template before a pod of the old template is deleted.
 *
 * A change of the spec starts another dry run. A refused template is checked again after 5 minutes, 10, 20, …, even if the spec
 * does not change, because a policy may have changed.
 */
export const checkTemplate = (input: TemplateCheckInput): TemplateCheck => {
  const key = `template/${input.revision}/${input.generation}/${probesOf(input)}`;
  const effect: Effect = { effect: 'dryRun', key, object: input.object };
  return judged(input.outcomes.dryRun(key), input, effect);
};
