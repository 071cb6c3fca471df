import { viewOf } from '#lib/loop/cache/projection/view.ts';
import type { DecidedPass } from '#lib/loop/pass/decision.ts';
import type { Step } from '#lib/plan/step.ts';

const intentOf = (step: Step): unknown =>
  step.step === 'create' ? step.declared : step.step === 'apply' ? step.object : undefined;

/** The parts of a pass that may be large, because users or the function decide their size. */
function* partsOf({ seen, wanted }: DecidedPass): Generator {
  const { answers, outcomes } = wanted.given ?? wanted.asked ?? { answers: [], outcomes: [] };
  yield* [seen.resource, outcomes, wanted.desired.status];
  for (const { object } of [...seen.children, ...seen.orphans, ...seen.restored]) yield object;
  for (const { lookup, objects } of answers) for (const object of objects) yield viewOf(lookup.kind, object);
  for (const step of wanted.plan.steps) yield intentOf(step);
}

/** The bytes of the quotation marks of a text; with a colon and a comma for the name of a member. */
const QUOTES = 2;
const MEMBER = 4;

const ownBytes = (value: unknown): number => {
  if (typeof value === 'string') return QUOTES + Buffer.byteLength(value);
  return typeof value === 'number' ? String(value).length : 1;
};

/** The approximate length of a value as JSON, in bytes. The count stops when it is greater than the limit. */
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
 * Whether the record of a pass would be longer than a limit. This is computed before any part is copied, because a record can be
 * much larger than the pass: several children may share one large part in memory, but the record contains it once for each child.
 *
 * Guarantees: the cost is at most proportional to the limit.
 *
 * Caveats: counts the values of Secrets, which the record does not contain. Does not count the escapes of JSON, so a record may
 * be up to six times as long as computed.
 *
 * @param limit - the limit in bytes
 */
export const isRecordLonger = (decision: DecidedPass, limit: number): boolean => {
  let bytes = 0;
  for (const part of partsOf(decision)) {
    bytes += bytesOf(part, limit - bytes);
    if (bytes > limit) return true;
  }
  return false;
};
