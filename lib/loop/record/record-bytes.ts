import { viewOf } from '#lib/loop/cache/projection/view.ts';
import type { DecidedPass } from '#lib/loop/pass/decision.ts';
import type { Step } from '#lib/plan/step.ts';

const intentOf = (step: Step): unknown =>
  step.step === 'create' ? step.declared : step.step === 'apply' ? step.object : undefined;

/** The parts of a pass whose size its users and its function decide, one at a time. */
function* partsOf({ seen, wanted }: DecidedPass): Generator {
  const { answers, outcomes } = wanted.given ?? wanted.asked ?? { answers: [], outcomes: [] };
  yield* [seen.resource, outcomes, wanted.desired.status];
  for (const { object } of [...seen.children, ...seen.orphans, ...seen.restored]) yield object;
  for (const { lookup, objects } of answers) for (const object of objects) yield viewOf(lookup.kind, object);
  for (const step of wanted.plan.steps) yield intentOf(step);
}

/** Quotes of a text; of a member also the colon and the comma. */
const QUOTES = 2;
const MEMBER = 4;

const ownBytes = (value: unknown): number => {
  if (typeof value === 'string') return QUOTES + Buffer.byteLength(value);
  return typeof value === 'number' ? String(value).length : 1;
};

/** The length of a value as JSON, or of a part of it that is longer than a limit. */
const bytesOf = (value: unknown, limit: number): number => {
  let bytes = 0;
  const open = [value];
  while (open.length > 0 && bytes <= limit) {
    const next = open.pop();
    if (next === undefined) continue;
    bytes += ownBytes(next);
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next)) for (const name of Object.keys(next)) bytes += MEMBER + Buffer.byteLength(name);
    for (const member of Object.values(next)) open.push(member);
  }
  return bytes;
};

/**
 * Tells whether the record of a pass would be longer than a limit, before any of it is copied. Children may share a large part, which
 * takes its memory once in the operator, and its length for each of them in a record.
 *
 * Guarantees: costs no more than a record of the limit.
 *
 * Caveats: counts the values of Secrets, which a record hides. Does not count what JSON escapes: the record of a pass may be longer all
 * the same, by a factor of 6 at most.
 *
 * @param limit - in bytes
 */
export const isRecordLonger = (decision: DecidedPass, limit: number): boolean => {
  let bytes = 0;
  for (const part of partsOf(decision)) {
    bytes += bytesOf(part, limit - bytes);
    if (bytes > limit) return true;
  }
  return false;
};
