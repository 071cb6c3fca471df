import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import type { Outcome } from '#lib/desired/observation.ts';
import type { Effect } from '#lib/desired/result/desired.ts';
import { progressing, ready } from '#lib/desired/result/state.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';
import type { HttpAnswer, HttpRequest } from '#lib/kube/interface/http.ts';
import { started } from './controller-bench.ts';
import { LoopBench } from './loop-bench.ts';

/** A request of a test. */
export const get = (key: string, rest: Partial<Extract<Effect, { effect: 'http' }>> = {}): Effect => ({
  effect: 'http',
  key,
  request: { method: 'GET', url: 'https://api.example.com/check' },
  timeoutSeconds: 10,
  retries: 2,
  ...rest,
});

/** The input of the function of a caller. */
export interface CallerSeen {
  readonly wanted: readonly string[];
  readonly recorded: readonly string[];
  readonly outcome: (key: string) => Outcome<{ readonly status: number; readonly body: string }>;
}

/** A kind that requests effects and records the outcome of each in its status: `key=status`, or `key!reason`. */
export const callerThat = (
  effectsOf: (seen: CallerSeen) => readonly Effect[] = ({ wanted, recorded }) =>
    wanted.filter((key) => !recorded.some((record) => record.startsWith(key))).map((key) => get(key)),
): AnyKindDefinition =>
  defineKind({
    group: 'demo.example.com',
    version: 'v1',
    kind: 'Caller',
    spec: s.object({ keys: s.set(s.string({ maxLength: 63 })) }),
    status: s.object({ recorded: s.list(s.string()) }),
    owns: [Pod],
    desired({ resource, outcomes }) {
      const before = resource.status?.recorded ?? [];
      const wanted = resource.spec.keys;
      const fresh = wanted.flatMap((key) => {
        const outcome = outcomes.http(key);
        if (before.some((record) => record.startsWith(key))) return [];
        if (outcome.state === 'succeeded') return [`${key}=${outcome.value.status}`];
        return outcome.state === 'failed' ? [`${key}!${outcome.reason}`] : [];
      });
      const recorded = [...before, ...fresh].toSorted();
      const effects = effectsOf({ wanted, recorded, outcome: (key) => outcomes.http(key) });
      const state = recorded.length === wanted.length ? ready('Asked', 'all') : progressing('Asking', 'some');
      return { children: [], status: { recorded }, state, effects };
    },
  });

/** Servers of a test with the given answers to every request. */
export const scriptedHttp = (
  answer: (request: HttpRequest, count: number) => HttpAnswer | Promise<HttpAnswer> = () => ({
    status: 200,
    body: 'ok',
  }),
) => {
  const requests: HttpRequest[] = [];
  const perform = async (request: HttpRequest): Promise<HttpAnswer> => {
    requests.push(request);
    return answer(request, requests.length);
  };
  return { requests, effects: { allowedHosts: ['api.example.com'], perform } };
};

/** A running loop over callers. */
export const effectsBench = (
  http = scriptedHttp(),
  definition: AnyKindDefinition = callerThat(),
): { readonly bench: LoopBench; readonly requests: HttpRequest[]; readonly recorded: (name?: string) => unknown } => {
  const bench = new LoopBench(definition, undefined, { effects: http.effects });
  started(bench);
  return { bench, requests: http.requests, recorded: (name = 'caller') => bench.statusOf(name)['recorded'] };
};
