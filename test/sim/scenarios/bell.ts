import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { refOf } from '#lib/kind/names.ts';
import type { HttpExchange } from '#lib/sim/world/scenario/http-exchange.ts';
import type { ClusterView, Invariant, Scenario, ScriptStep } from '#lib/sim/world/scenario/scenario.ts';
import { bell, TOWER } from './bell-kind.ts';
import type { Case } from './case.ts';

const bells = refOf(bell);
const target = { resource: bells, namespace: 'default', name: 'big' };

interface StoredBell extends ServerObject {
  readonly status?: { readonly accepted: boolean; readonly rung: number };
}

/** The stored bell of a scenario. */
export const bellIn = (view: ClusterView): StoredBell | undefined =>
  view.objects({ group: 'demo.example.com', plural: bells.plural })[0];

/** The key of the effect of a request. */
export const effectOf = ({ idempotencyKey }: HttpExchange): string =>
  idempotencyKey.slice(idempotencyKey.indexOf('/') + 1);

/** How often each effect arrived, whether or not its answer was lost. */
export const performed = (view: ClusterView): ReadonlyMap<string, number> => {
  const times = new Map<string, number>();
  for (const exchange of view.exchanges) {
    if (exchange.fate === 'performed') times.set(effectOf(exchange), (times.get(effectOf(exchange)) ?? 0) + 1);
  }
  return times;
};

/** Every effect in the count of a status has been sent for this bell, and not only for an earlier bell of the same name. */
const countedAfterwards = (): Invariant => ({
  name: 'what is counted was performed',
  check: (view) => {
    const stored = bellIn(view);
    const arrived = new Set(
      view.exchanges.filter(({ fate }) => fate === 'performed').map(({ idempotencyKey }) => idempotencyKey),
    );
    const missing = Array.from({ length: stored?.status?.rung ?? 0 }, (_, index) => `ring-${index + 1}`).find(
      (key) => !arrived.has(`${stored?.metadata.uid}/${key}`),
    );
    return missing && `${missing} is counted and was never performed`;
  },
});

/** An effect in the count of a status is not requested again. */
const neverAgain = (): Invariant => {
  let seen = 0;
  let counted = 0;
  return {
    name: 'what is counted is not sent again',
    check: (view) => {
      const { exchanges } = view;
      const again = exchanges
        .slice(seen)
        .map(effectOf)
        .find((key) => key.startsWith('ring-') && Number(key.slice('ring-'.length)) <= counted);
      seen = exchanges.length;
      counted = Math.max(counted, bellIn(view)?.status?.rung ?? 0);
      return again && `${again} was sent again`;
    },
    memory: () => [seen, counted],
  };
};

/** Requests of one effect have the same key and the same content. */
const oneKey = (): Invariant => ({
  name: 'one idempotency key for each effect',
  check: ({ exchanges }) => {
    const keys = Map.groupBy(exchanges, ({ url, body }) => `${url} ${body}`);
    const torn = [...keys].find(([, sent]) => new Set(sent.map(({ idempotencyKey }) => idempotencyKey)).size > 1);
    return torn && `${torn[0]} was sent under several keys`;
  },
});

const create = (rings: number): ScriptStep => ({
  label: `user creates a bell that rings ${rings} times`,
  run: (user) => {
    const { apiVersion, kind } = bells;
    user.create(bells, { apiVersion, kind, metadata: { name: 'big', namespace: 'default' }, spec: { rings } });
  },
});

const edit = (rings: number): ScriptStep => ({
  label: `user lets the bell ring ${rings} times`,
  run: (user) => void user.patch(target, { spec: { rings } }),
});

const remove: ScriptStep = { label: 'user deletes the bell', run: (user) => void user.delete(target) };

/** The user removes the finalizer first, so that the bell vanishes at once. */
const escape: ScriptStep = {
  label: 'user deletes the bell without its finalizer',
  run: (user) => {
    user.patch(target, { metadata: { finalizers: null } });
    user.delete(target);
  },
};

/** A bell that existed long enough to owe a goodbye sends one before it is deleted. */
const goodbye = (): Invariant => {
  let owes = false;
  return {
    name: 'a goodbye before it goes',
    check: (view) => {
      const stored = bellIn(view);
      if (stored === undefined && owes && !performed(view).has('goodbye-1')) return 'it went without';
      owes = stored?.metadata.finalizers !== undefined;
      return undefined;
    },
    memory: () => owes,
  };
};

/**
 * The parts of the final state that do not depend on the number of attempts. The number of rings before a deletion depends on
 * the schedule.
 */
const outcome = (view: ClusterView) => {
  const stored = bellIn(view);
  return stored === undefined
    ? 'gone'
    : { status: { ...stored.status, conditions: [] }, performed: [...performed(view).keys()].toSorted() };
};

const scenarioOf = (name: string, script: readonly ScriptStep[]): Scenario => ({
  name: `bell-${name}`,
  kinds: [bell],
  script,
  http: { allowedHosts: [TOWER], answer: ({ body = '' }) => ({ status: 200, body }) },
  invariants: () => [countedAfterwards(), neverAgain(), oneKey(), goodbye()],
  outcome,
});

/** The bell rings twice. */
export const ringTwice = scenarioOf('ring', [create(2)]);

/** The bell rings, and is then deleted. */
export const ringAndLeave = scenarioOf('leave', [create(1), remove]);

/** The bell vanishes, and another bell gets its name. How often the first bell rang depends on the schedule. */
const recreated: Scenario = {
  ...scenarioOf('recreate', [create(1), escape, create(2)]),
  invariants: () => [countedAfterwards()],
  outcome: (view) => ({ ...bellIn(view)?.status, conditions: [] }),
};

/** Scenarios of bells. */
export const bellCases: readonly Case[] = [
  ringTwice,
  ringAndLeave,
  scenarioOf('again', [create(1), edit(3), edit(4), remove]),
  recreated,
].map((scenario) => ({ scenario, chaos: {} }));
