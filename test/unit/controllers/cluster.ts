import { builtinKinds } from '#lib/apiserver/builtin/builtin-kinds.ts';
import { definitionKind } from '#lib/apiserver/crd/definition-kind.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ServerRequest, ServerResponse } from '#lib/apiserver/machinery/request.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { createApiServer } from '#lib/apiserver/server/server.ts';
import type { Actor, ActorStep } from '#lib/controllers/actor.ts';
import { type ActorsOptions, createActors } from '#lib/controllers/actors.ts';

/** A server with actors, and a clock that a test advances. */
export interface VirtualCluster {
  readonly server: ApiServer;
  readonly actors: readonly Actor[];
  readonly now: () => number;
  /** Sends a request; refusals are errors. */
  readonly send: (request: ServerRequest) => ServerResponse;
  readonly objects: (plural: string, namespace?: string) => readonly ServerObject[];
  /** All enabled steps. */
  readonly steps: () => readonly ActorStep[];
  /** Runs the enabled step with a label. */
  readonly run: (label: string | RegExp) => void;
  /** Runs everything that happens by itself within some seconds, the earliest step first. @returns labels */
  readonly calm: (seconds?: number) => readonly string[];
}

const groupOf: Readonly<Record<string, string>> = {
  deployments: 'apps',
  replicasets: 'apps',
  daemonsets: 'apps',
  statefulsets: 'apps',
  controllerrevisions: 'apps',
  jobs: 'batch',
  cronjobs: 'batch',
  widgets: 'example.com',
};

const START = Date.UTC(2026, 0, 1);

/** Number of steps after which a cluster counts as one that never comes to rest. */
const LIMIT = 5000;

/** Creates a cluster with all actors. */
export const createCluster = (options: Omit<ActorsOptions, 'server' | 'now'> = {}): VirtualCluster => {
  let time = START;
  const now = (): number => time;
  const server = createApiServer({ kinds: [...(options.kinds ?? builtinKinds), definitionKind], now });
  const { actors } = createActors({ ...options, server, now });
  const steps = (): readonly ActorStep[] => actors.flatMap((actor) => actor.steps());
  const due = (step: ActorStep): number => Math.max(time, step.notBefore ?? 0);
  const next = (): ActorStep | undefined => {
    const own = steps().filter(({ isFault }) => isFault !== true);
    return own.reduce<ActorStep | undefined>((a, b) => (a && due(a) <= due(b) ? a : b), undefined);
  };
  const calm = (seconds = 3600): readonly string[] => {
    const end = time + seconds * 1000;
    const labels: string[] = [];
    for (let step = next(); step && (step.notBefore ?? 0) <= end; step = next()) {
      if (labels.length > LIMIT) throw new Error(`no rest: ${labels.slice(-20).join('\n')}`);
      time = Math.max(time, step.notBefore ?? 0);
      labels.push(step.label);
      step.run();
    }
    time = end;
    return labels;
  };
  return {
    server,
    actors,
    now,
    steps,
    calm,
    send: (request) => {
      const answer = server.handle(request);
      if (answer.code >= 300)
        throw new Error(`${request.verb} ${request.resource.plural}: ${JSON.stringify(answer.body)}`);
      return answer;
    },
    objects: (plural, namespace) => server.objects({ group: groupOf[plural] ?? '', plural }, namespace),
    run: (label) => {
      const step = steps().find((s) => (typeof label === 'string' ? s.label === label : label.test(s.label)));
      if (!step)
        throw new Error(
          `no step ${String(label)} among\n${steps()
            .map((s) => s.label)
            .join('\n')}`,
        );
      step.run();
    },
  };
};
