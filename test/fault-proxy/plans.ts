import { createHash } from 'node:crypto';
import { type Call, isMutating } from './call.ts';
import type { Decision, Fault, FaultPlan, Rule, Trigger } from './fault.ts';

/** Passes everything on. */
export const noFaults: FaultPlan = () => undefined;

const matchesVerb = (verb: Trigger['verb'], call: Call): boolean => {
  if (verb === undefined) return true;
  if (verb === 'mutating') return isMutating(call);
  return typeof verb === 'string' ? verb === call.verb : verb.includes(call.verb);
};

const matchesName = (name: string | RegExp | undefined, call: Call): boolean =>
  name === undefined || (typeof name === 'string' ? name === call.name : name.test(call.name));

const matches = (trigger: Trigger, call: Call): boolean => {
  const { resource = call.resource, namespace = call.namespace, fromMs = 0, untilMs = Infinity } = trigger;
  return (
    matchesVerb(trigger.verb, call) &&
    matchesName(trigger.name, call) &&
    resource === call.resource &&
    namespace === call.namespace &&
    call.atMs >= fromMs &&
    call.atMs <= untilMs
  );
};

/** Follows a script: the first rule that matches and is not used up decides. */
export const scripted = (rules: readonly Rule[]): FaultPlan => {
  const states = rules.map((rule) => ({ rule, matched: 0, used: 0 }));
  return (call) => {
    let chosen: Fault | undefined;
    for (const state of states) {
      const { on, do: fault, times = Infinity } = state.rule;
      if (!matches(on, call)) continue;
      // Counted for every rule, including those after the deciding rule: `nth` counts requests, whichever rule decides about
      // them.
      state.matched += 1;
      if (chosen !== undefined || state.used >= times || (on.nth ?? state.matched) !== state.matched) continue;
      state.used += 1;
      chosen = fault;
    }
    return chosen;
  };
};

/** The parameters of a random schedule. */
export interface SeededOptions {
  readonly seed: number;
  /** Probability of a fault per request, 0 to 1. */
  readonly chance: number;
  /** Possible faults; only those that apply to a request are drawn. */
  readonly faults: readonly Fault[];
}

const streamFaults: ReadonlySet<Fault['fault']> = new Set(['cutStream', 'endStream', 'holdEvents']);

const suits = ({ fault }: Fault, { verb }: Call): boolean => {
  if (fault === 'halfOpen') return true;
  if (fault === 'staleList') return verb === 'list' || verb === 'watch';
  if (fault === 'dropAfter' || fault === 'kill') return verb !== 'watch';
  return !streamFaults.has(fault) || verb === 'watch';
};

/** Two numbers in [0, 1) that depend only on the seed and on the request. */
const drawn = (seed: number, { verb, resource, nth }: Call): readonly [number, number] => {
  const hash = createHash('sha256').update(`${seed} ${verb} ${resource} ${nth}`).digest();
  return [hash.readUInt32BE(0) / 2 ** 32, hash.readUInt32BE(4) / 2 ** 32];
};

/**
 * A random schedule. The fault of the nth request of a verb and resource depends on the seed only, in whatever order
 * requests of different kinds arrive. So the same seed has the same effect on the same run, and nearly the same on a
 * similar one.
 */
export const seeded =
  ({ seed, chance, faults }: SeededOptions): FaultPlan =>
  (call) => {
    const fitting = faults.filter((fault) => suits(fault, call));
    const [hit, which] = drawn(seed, call);
    return hit < chance ? fitting[Math.floor(which * fitting.length)] : undefined;
  };

const identityOf = ({ verb, resource, nth }: Call): string => `${verb} ${resource} ${nth}`;

/** Repeats the faults of a recorded run, for the same requests: the nth of each verb and resource. */
export const replayed = (record: readonly Decision[]): FaultPlan => {
  const faults = new Map(record.flatMap(({ call, fault }) => (fault ? [[identityOf(call), fault] as const] : [])));
  return (call) => faults.get(identityOf(call));
};

/** The first plan with a fault decides; every plan sees every request. */
export const combined =
  (...plans: readonly FaultPlan[]): FaultPlan =>
  (call) =>
    plans.map((plan) => plan(call)).find((fault) => fault !== undefined);
