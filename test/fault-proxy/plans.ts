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

/** Follows a script: the first rule whose trigger matches, and which is not used up, decides. */
export const scripted = (rules: readonly Rule[]): FaultPlan => {
  const states = rules.map((rule) => ({ rule, matched: 0, used: 0 }));
  return (call) => {
    let chosen: Fault | undefined;
    for (const state of states) {
      const { on, do: fault, times = Infinity } = state.rule;
      if (!matches(on, call)) continue;
      // Counted for every rule, also for those behind the one that decides: an nth depends on requests, not on rules.
      state.matched += 1;
      if (chosen !== undefined || state.used >= times || (on.nth ?? state.matched) !== state.matched) continue;
      state.used += 1;
      chosen = fault;
    }
    return chosen;
  };
};

/** How a random schedule is drawn. */
export interface SeededOptions {
  readonly seed: number;
  /** How likely a request is hit, 0 to 1. */
  readonly chance: number;
  /** What may happen; only what makes sense for a request is drawn from. */
  readonly faults: readonly Fault[];
}

const streamFaults: ReadonlySet<Fault['fault']> = new Set(['cutStream', 'endStream', 'holdEvents']);

const suits = ({ fault }: Fault, { verb }: Call): boolean => {
  if (fault === 'halfOpen') return true;
  if (fault === 'staleList') return verb === 'list' || verb === 'watch';
  if (fault === 'dropAfter' || fault === 'kill') return verb !== 'watch';
  return !streamFaults.has(fault) || verb === 'watch';
};

/** Two numbers in [0, 1) that depend on nothing but the seed and which request it is. */
const drawn = (seed: number, { verb, resource, nth }: Call): readonly [number, number] => {
  const hash = createHash('sha256').update(`${seed} ${verb} ${resource} ${nth}`).digest();
  return [hash.readUInt32BE(0) / 2 ** 32, hash.readUInt32BE(4) / 2 ** 32];
};

/**
 * A random schedule. The nth request of a verb and resource gets what the seed says, in whatever order requests of
 * different kinds arrive; so the same seed does the same to the same run, and nearly the same to a similar one.
 */
export const seeded =
  ({ seed, chance, faults }: SeededOptions): FaultPlan =>
  (call) => {
    const fitting = faults.filter((fault) => suits(fault, call));
    const [hit, which] = drawn(seed, call);
    return hit < chance ? fitting[Math.floor(which * fitting.length)] : undefined;
  };

const identityOf = ({ verb, resource, nth }: Call): string => `${verb} ${resource} ${nth}`;

/** Does again what was done in a recorded run, to the same requests: the nth of each verb and resource. */
export const replayed = (record: readonly Decision[]): FaultPlan => {
  const faults = new Map(record.flatMap(({ call, fault }) => (fault ? [[identityOf(call), fault] as const] : [])));
  return (call) => faults.get(identityOf(call));
};

/** The first plan that has something to say decides; every plan sees every request. */
export const combined =
  (...plans: readonly FaultPlan[]): FaultPlan =>
  (call) =>
    plans.map((plan) => plan(call)).find((fault) => fault !== undefined);
