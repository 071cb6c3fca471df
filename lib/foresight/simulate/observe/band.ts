import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { Band } from '#lib/foresight/simulate/report/report.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { isUnseen } from '#lib/kind/schema/unseen-status.ts';

/** The state that a resource reports. */
export interface Said {
  /** The state as a short text, such as `Step 2/4 · 30 % · scaling`. */
  readonly text: string;
  readonly sentence: string;
  readonly mood: Band['mood'];
  /** Whether the condition Ready is true. */
  readonly isReady: boolean;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

const isCondition = (value: unknown): value is Condition => isPlainObject(value) && typeof value['type'] === 'string';

/** Converts a reason to words: `StepSleeping` to `Step sleeping`. Abbreviations stay in upper case. */
const spaced = (reason: string): string =>
  reason
    .replaceAll(/(?<=[a-z0-9])([A-Z])(?=[a-z])/g, (letter) => ` ${letter.toLowerCase()}`)
    .replaceAll(/(?<=[a-z])(?=[A-Z]{2})/g, ' ');

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Adds the step and the percentage of a rollout to its reason. */
const withStep = (words: string, { step, percent }: JsonObject): string => {
  if (!isText(step) || !/^step\b/i.test(words)) return words;
  const share = typeof percent === 'number' ? ` · ${percent} %` : '';
  const rest = words.slice('step'.length).trim();
  return `Step ${step}${share}${rest === '' ? '' : ` · ${rest}`}`;
};

const WAITS = /sleep|wait|pause|back-?off|delay|suspend|hold/i;
const FAILS = /fail|degrad|abort|roll(?:ing|ed)?-?back|crash|conflict|invalid|exceeded|gave ?up|error/i;

const moodOf = (
  words: string,
  { isReady, isStalled }: { readonly isReady: boolean; readonly isStalled: boolean },
): Band['mood'] => {
  if (isStalled || FAILS.test(words)) return 'bad';
  if (isReady) return 'calm';
  return WAITS.test(words) ? 'waiting' : 'busy';
};

/**
 * Reads the state of a resource from its conditions Ready and Stalled; `undefined` if they show no state.
 *
 * @param object - the stored object
 */
export const saidBy = (object: ServerObject): Said | undefined => {
  const { status } = object;
  if (isUnseen(object) || !isPlainObject(status) || !Array.isArray(status['conditions'])) return undefined;
  const conditions: readonly Condition[] = status['conditions'].filter(isCondition);
  const of = (type: string): Condition | undefined => conditions.find((condition) => condition.type === type);
  const [ready, stalled] = [of('Ready'), of('Stalled')];
  const isStalled = stalled?.status === 'True';
  const told = isStalled ? stalled : ready;
  if (told === undefined) return undefined;
  const deleted = object.metadata.deletionTimestamp === undefined ? '' : ' · being deleted';
  const words = spaced(told.reason ?? (told.status === 'True' ? told.type : `Not ${told.type.toLowerCase()}`));
  const isReady = ready?.status === 'True';
  const mood = moodOf(words, { isReady, isStalled });
  return { text: `${withStep(words, status)}${deleted}`, sentence: told.message ?? '', mood, isReady };
};
