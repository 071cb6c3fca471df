import { duplicate, type FieldError, invalidValue, omitted, required } from '#lib/apiserver/machinery/field-error.ts';
import { listIn, numberIn, objectIn, optionalIn, textIn, textsIn } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { goStruct } from '#lib/apiserver/machinery/text/go-text.ts';
import { checkNonNegative, type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';
import { equalJson, type JsonObject } from '#lib/json.ts';
import { checkMetadataUpdate } from '../validation/object-meta.ts';
import { commonIndex, countIndexes } from './index-intervals.ts';
import { isIndexed } from './job-spec-validation.ts';

const COUNTS = ['active', 'succeeded', 'failed', 'ready', 'terminating'];
const CONDITIONS = 'status.conditions';

const has = (status: JsonObject, type: string, value = 'True'): boolean =>
  listIn(status, 'conditions').some((condition) => condition['type'] === type && condition['status'] === value);

const isFinished = (status: JsonObject): boolean => has(status, 'Complete') || has(status, 'Failed');

/** The two statuses of an update, and the spec. */
interface Change {
  readonly spec: JsonObject;
  readonly status: JsonObject;
  readonly old: JsonObject;
}

type Rule = readonly [isBroken: boolean, error: () => FieldError];

const broken = (rules: readonly Rule[]): FieldErrors =>
  rules.flatMap(([isBroken, error]) => (isBroken ? [error()] : []));

const invalidCondition = (text: string) => (): FieldError => invalidValue(CONDITIONS, omitted, text);

const uncountedIn = (status: JsonObject): JsonObject | undefined => optionalIn(status, 'uncountedTerminatedPods');

const checkUncounted = (status: JsonObject): FieldErrors => {
  const seen = new Set<string>();
  return ['succeeded', 'failed'].flatMap((list) =>
    textsIn(uncountedIn(status), list).flatMap((uid, i): FieldErrors => {
      const path = `status.uncountedTerminatedPods.${list}[${i}]`;
      if (uid === '') return [invalidValue(path, uid, 'must not be empty')];
      if (seen.has(uid)) return [duplicate(path, uid)];
      seen.add(uid);
      return fine;
    }),
  );
};

const uncountedValue = (uncounted: JsonObject): unknown =>
  goStruct({ Succeeded: uncounted['succeeded'] ?? null, Failed: uncounted['failed'] ?? null });

const changes = ({ status, old }: Change, ...names: readonly string[]): boolean =>
  names.some((name) => !equalJson(status[name], old[name]));

const turns = ({ status, old }: Change, type: string): boolean => has(status, type) !== has(old, type);

/** Rules about conditions that exclude or require each other, and about the time of completion. */
const endRules = (change: Change): readonly Rule[] => {
  const { status } = change;
  const [isComplete, isFailed] = [has(status, 'Complete'), has(status, 'Failed')];
  const [completes, fails] = [turns(change, 'Complete'), turns(change, 'Failed')];
  const { startTime, completionTime } = status;
  const times = changes(change, 'completionTime');
  const isEarly =
    typeof startTime === 'string' &&
    typeof completionTime === 'string' &&
    Date.parse(completionTime) < Date.parse(startTime);
  const path = 'status.completionTime';
  const noTarget = 'cannot set Failed=True condition without the FailureTarget=true condition';
  const noCriteria = 'cannot set Complete=True condition without the SuccessCriteriaMet=true condition';
  return [
    [
      (completes || fails) && isComplete && isFailed,
      invalidCondition('cannot set Complete=True and Failed=true conditions'),
    ],
    [
      (completes || turns(change, 'FailureTarget')) && isComplete && has(status, 'FailureTarget'),
      invalidCondition('cannot set Complete=True and FailureTarget=true conditions'),
    ],
    [
      (completes || times) && completionTime !== undefined && !isComplete,
      () => invalidValue(path, completionTime, 'cannot set completionTime when there is no Complete=True condition'),
    ],
    [
      (completes || times) && completionTime === undefined && isComplete,
      () => required(path, 'completionTime is required for Complete jobs'),
    ],
    [
      (times || changes(change, 'startTime')) && isEarly,
      () => invalidValue(path, completionTime, 'must be equal to or after `startTime`'),
    ],
    [
      (fails || changes(change, 'failedIndexes')) && isFailed && !has(status, 'FailureTarget'),
      invalidCondition(noTarget),
    ],
    [
      (completes || turns(change, 'SuccessCriteriaMet')) && isComplete && !has(status, 'SuccessCriteriaMet'),
      invalidCondition(noCriteria),
    ],
  ];
};

const finishedRules = (change: Change): readonly Rule[] => {
  const { spec, status, old } = change;
  const [isOver, ends] = [isFinished(status), isFinished(status) !== isFinished(old)];
  const uncounted = uncountedIn(status);
  const left = textsIn(uncounted, 'failed').length + textsIn(uncounted, 'succeeded').length;
  const isNothing = spec['suspend'] === true && spec['completions'] === 0;
  const { active } = status;
  return [
    [
      (ends || changes(change, 'active')) && isOver && numberIn(status, 'active') > 0,
      () => invalidValue('status.active', active, 'active>0 is invalid for finished job'),
    ],
    [
      (ends || changes(change, 'startTime')) && !isNothing && isOver && status['startTime'] === undefined,
      () => required('status.startTime', 'startTime is required for finished job'),
    ],
    [
      (ends || changes(change, 'uncountedTerminatedPods')) && isOver && left > 0,
      () =>
        invalidValue(
          'status.uncountedTerminatedPods',
          uncountedValue(uncounted ?? {}),
          'must be empty for finished job',
        ),
    ],
  ];
};

const indexRules = (change: Change): readonly Rule[] => {
  const { spec, status } = change;
  const { completions, backoffLimitPerIndex } = spec;
  const limit = typeof completions === 'number' ? completions : undefined;
  const [completed, failed] = [textIn(status, 'completedIndexes'), status['failedIndexes']];
  const [completedChanges, failedChanges] = [changes(change, 'completedIndexes'), changes(change, 'failedIndexes')];
  const problemOf = (text: unknown): string | undefined => {
    const counted = limit === undefined || typeof text !== 'string' ? undefined : countIndexes(text, limit);
    return counted && 'problem' in counted ? counted.problem : undefined;
  };
  const [completedProblem, failedProblem] = [problemOf(completed), problemOf(failed)];
  const common =
    limit !== undefined && typeof failed === 'string' ? commonIndex({ completed, failed }, limit) : undefined;
  const notIndexed = 'cannot set non-empty completedIndexes when non-indexed completion mode';
  const noLimit = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null';
  const [completedPath, failedPath] = ['status.completedIndexes', 'status.failedIndexes'];
  return [
    [
      completedChanges && completedProblem !== undefined,
      () => invalidValue(completedPath, completed, `error parsing completedIndexes: ${completedProblem}`),
    ],
    [
      failedChanges && backoffLimitPerIndex !== undefined && failedProblem !== undefined,
      () => invalidValue(failedPath, failed, `error parsing failedIndexes: ${failedProblem}`),
    ],
    [
      completedChanges && completed !== '' && !isIndexed(spec),
      () => invalidValue(completedPath, completed, notIndexed),
    ],
    [
      failedChanges && backoffLimitPerIndex === undefined && failed !== undefined,
      () => invalidValue(failedPath, failed, noLimit),
    ],
    [
      (completedChanges || failedChanges) && common !== undefined,
      () => invalidValue(failedPath, failed, `failedIndexes and completedIndexes overlap at index: ${common}`),
    ],
  ];
};

/** Rules about the counts of terminating and ready pods, and about the condition SuccessCriteriaMet. */
const lateRules = (change: Change): readonly Rule[] => {
  const { spec, status, old } = change;
  const ends = isFinished(status) !== isFinished(old);
  const { ready, terminating } = status;
  const isMet = has(status, 'SuccessCriteriaMet');
  const policyText = 'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True';
  return [
    [
      (ends || changes(change, 'terminating')) && numberIn(status, 'terminating') > 0 && isFinished(status),
      () => invalidValue('status.terminating', terminating, 'terminating>0 is invalid for finished job'),
    ],
    [
      changes(change, 'ready', 'active') && typeof ready === 'number' && ready > numberIn(status, 'active'),
      () => invalidValue('status.ready', ready, 'cannot set more ready pods than active'),
    ],
    [isMet && has(status, 'Failed'), invalidCondition('cannot set SuccessCriteriaMet=True and Failed=true conditions')],
    [
      isMet && has(status, 'FailureTarget'),
      invalidCondition('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions'),
    ],
    [spec['successPolicy'] !== undefined && !isMet && has(status, 'Complete'), invalidCondition(policyText)],
  ];
};

const transitionRules = (change: Change): readonly Rule[] => {
  const { spec, status, old } = change;
  const decreases = (name: string): boolean => numberIn(status, name) < numberIn(old, name);
  const decreased =
    (name: string): (() => FieldError) =>
    () =>
      invalidValue(`status.${name}`, numberIn(status, name), `cannot decrease the ${name} counter`);
  // An indexed Job with equal parallelism and completions can be scaled down. Its count of succeeded pods may then decrease.
  const isElastic = isIndexed(spec) && spec['completions'] === spec['parallelism'];
  const isResuming = has(old, 'Suspended') && has(status, 'Suspended', 'False');
  const { startTime, completionTime } = status;
  const [wasMet, isMet] = [has(old, 'SuccessCriteriaMet'), has(status, 'SuccessCriteriaMet')];
  const late = 'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions';
  const startText = 'field is immutable for unsuspended job once set';
  return [
    ...['Failed', 'Complete', 'FailureTarget'].map(
      (type): Rule => [
        has(old, type) && !has(status, type),
        invalidCondition(`cannot disable the terminal ${type}=True condition`),
      ],
    ),
    [decreases('failed'), decreased('failed')],
    [!isElastic && decreases('succeeded'), decreased('succeeded')],
    [
      completionTime !== undefined && old['completionTime'] !== undefined && changes(change, 'completionTime'),
      () => invalidValue('status.completionTime', completionTime, 'field is immutable'),
    ],
    [
      changes(change, 'startTime') && !isResuming && old['startTime'] !== undefined && spec['suspend'] !== true,
      () => invalidValue('status.startTime', startTime ?? null, startText),
    ],
    [wasMet && !isMet, invalidCondition('cannot disable the SuccessCriteriaMet=True condition')],
    [has(old, 'Complete') && !wasMet && isMet, invalidCondition(late)],
  ];
};

/**
 * Validates an update of the status of a Job. Many rules apply only to fields that change, because another controller may have
 * written the other fields.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/batch/validation/validation.go (`ValidateJobUpdateStatus`)
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/batch/job/strategy.go (`getStatusValidationOptions`)
 */
export const checkJobStatusUpdate = (job: ServerObject, previous: ServerObject): FieldErrors => {
  const [spec, status, old] = [objectIn(job, 'spec'), objectIn(job, 'status'), objectIn(previous, 'status')];
  const change: Change = { spec, status, old };
  return [
    ...checkMetadataUpdate(job, previous),
    ...COUNTS.flatMap((name) => checkNonNegative(`status.${name}`, status[name])),
    ...checkUncounted(status),
    ...[endRules, finishedRules, indexRules, lateRules, transitionRules].flatMap((rules) => broken(rules(change))),
  ];
};
