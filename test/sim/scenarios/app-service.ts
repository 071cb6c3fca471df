import { appService } from '#constructs/app-service/kind.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { refOf } from '#lib/kind/names.ts';
import type { ClusterView, Invariant, ScriptStep } from '#lib/sim/world/scenario/scenario.ts';
import { casesOf } from './case.ts';
import { killPod } from './script.ts';
import { isActive, podsIn } from './views.ts';

const services = refOf(appService);
const metadata = { name: 'web', namespace: 'default' };
const target = { resource: services, ...metadata };

interface StoredService extends ServerObject {
  readonly spec: { readonly replicas: number };
  readonly status?: {
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly podNames?: readonly string[];
  };
}

const servicesIn = (view: ClusterView): readonly StoredService[] =>
  view.objects({ group: 'app.example.com', plural: services.plural }) as unknown as readonly StoredService[];

const create = (replicas: number): ScriptStep => ({
  label: `user creates service web of ${replicas}`,
  run: (user) => {
    const { apiVersion, kind } = services;
    user.create(services, { apiVersion, kind, metadata, spec: { replicas } });
  },
});

const scale = (replicas: number): ScriptStep => ({
  label: `user scales service web to ${replicas}`,
  run: (user) => void user.patch(target, { spec: { replicas } }),
});

const remove: ScriptStep = {
  label: 'user deletes service web',
  run: (user) => void user.delete(target, { propagationPolicy: 'Background' }),
};

const neverTooMany = (): Invariant => {
  let largest = 0;
  return {
    name: 'never more pods than asked for',
    check: (view) => {
      for (const { spec } of servicesIn(view)) largest = Math.max(largest, spec.replicas);
      const active = podsIn(view).filter(isActive).length;
      return active > largest ? `${active} pods, ${largest} asked for` : undefined;
    },
    memory: () => largest,
  };
};

const caseOf = casesOf({
  prefix: 'app-service',
  kinds: [appService],
  invariants: () => [neverTooMany()],
  outcome: (view) =>
    servicesIn(view).map(({ spec, status }) => ({
      asked: spec.replicas,
      active: podsIn(view).filter(isActive).length,
      status: [status?.replicas ?? null, status?.readyReplicas ?? null],
      isListed: status?.podNames?.length === podsIn(view).filter(isActive).length,
    })),
});

/** Scenarios of AppServices. */
export const appServiceCases = [
  caseOf('scale', [create(1), scale(3), scale(0), scale(2)]),
  caseOf('kill', [create(2), killPod('first'), killPod('next')]),
  caseOf('delete', [create(3), remove]),
];
