import type { JsonObject } from '#lib/json.ts';
import type { HttpExchange } from '#lib/sim/world/scenario/http-exchange.ts';
import type { ClusterView, Invariant, Scenario } from '#lib/sim/world/scenario/scenario.ts';
import { create, deployerIn, HOOKS, PROMETHEUS, rollTo, scenarioOf } from './deployer.ts';

/** The answer of the servers outside of the cluster. */
export type Answer = (exchange: HttpExchange, view: ClusterView) => { readonly status: number; readonly body: string };

/** The body of a Prometheus answer. */
const vector = (value?: string): string =>
  JSON.stringify({
    status: 'success',
    data: { resultType: 'vector', result: value === undefined ? [] : [{ metric: {}, value: [1, value] }] },
  });

/** Answers queries with this value of the metric, and hooks with success. */
export const measuring =
  (value: string | undefined): Answer =>
  ({ url }) =>
    url.includes(PROMETHEUS) ? { status: 200, body: vector(value) } : { status: 200, body: '' };

const metric = { name: 'errors', query: 'errors{version="{{canary}}"}', max: 5, intervalSeconds: 20 };
const hook = (name: string, type: string): JsonObject => ({ name, type, url: `https://${HOOKS}/${name}`, retries: 5 });

/** One step with a sleep and a metric, and hooks of all types. */
const watched: JsonObject = {
  steps: [{ percent: 30, sleep: 60, metrics: [metric], webhooks: [hook('load', 'Step')] }, { percent: 100 }],
  webhooks: [
    hook('may-begin', 'ConfirmRollout'),
    hook('smoke', 'Pre'),
    hook('may-go-on', 'ConfirmStep'),
    hook('may-end', 'ConfirmPromotion'),
    hook('after', 'Post'),
    hook('all', 'Event'),
  ],
  notify: [{ type: 'Slack', url: `https://${HOOKS}/chat` }],
};

/** The effect of a request, without the uid. */
export const effectOf = ({ idempotencyKey }: HttpExchange): string =>
  idempotencyKey.slice(idempotencyKey.indexOf('/') + 1);

/** Requests to hooks, in order. */
export const hooksCalled = (view: ClusterView): readonly string[] =>
  view.exchanges
    .filter(({ url, fate }) => url.includes(HOOKS) && fate === 'performed')
    .map(({ url }) => url.slice(`https://${HOOKS}/`.length));

/** A passed hook is not called again once the status has recorded it. */
const neverAgain = (): Invariant => {
  const passed = new Set<string>();
  let seen = 0;
  return {
    name: 'a hook that has passed is not called again',
    check: (view) => {
      const again = view.exchanges
        .slice(seen)
        .map(effectOf)
        .find((key) => passed.has(key));
      seen = view.exchanges.length;
      for (const { key, phase, hook: type } of deployerIn(view)?.status?.analysis ?? []) {
        if (phase === 'Passed' && type !== 'Metric') passed.add(key);
      }
      return again && `${again} was called again`;
    },
    memory: () => [[...passed], seen],
  };
};

/** A rollout with checks. */
export const checkedRollout = (
  name: string,
  answer: Answer,
  rest: Partial<Scenario> & { readonly spec?: JsonObject; readonly deployment?: JsonObject } = {},
): Scenario => {
  const { spec, deployment = {}, ...scenario } = rest;
  return scenarioOf(
    name,
    [create({ deployment: { replicas: 4, ...deployment }, spec: { ...watched, ...spec } }), rollTo('1.7.8')],
    {
      http: { allowedHosts: [PROMETHEUS, HOOKS], answer },
      invariants: () => [neverAgain()],
      ...scenario,
    },
  );
};
