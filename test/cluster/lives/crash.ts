import { join } from 'node:path';
import { bundleOperator } from '#apps/bundle.ts';
import { podEnvironment } from '#test/bench/ground/as-in-pod.ts';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { OPERATOR_USER } from '#test/control-plane/install.ts';
import {
  type OperatorProcess,
  type OperatorProcessOptions,
  spawnOperator,
  startOperator,
  works,
} from '#test/control-plane/operator-process.ts';
import { isMutating } from '#test/fault-proxy/call.ts';
import type { Fault, FaultPlan } from '#test/fault-proxy/fault.ts';
import { behindOf, type FaultProxy, mutationsOf, startFaultProxy } from '#test/fault-proxy/proxy.ts';
import { type Keeper, type Life, liveThrough, type Place, type Story } from './life.ts';

/** Decides by the number of a mutating call in the operator's life, from 1. */
export type KillAt = (nthMutation: number) => 'before' | 'after' | undefined;

/** The result of a life whose operator was killed now and then. */
export interface CrashedLife extends Story {
  /** `verb resource` of each call that changed something, in their order; without Leases and Events. */
  readonly mutations: readonly string[];
  /** How often the operator was killed. */
  readonly kills: number;
  /** What the operator did to children, by resource; without the creates of the last day. */
  readonly done: Readonly<Record<string, Done>>;
  /**
   * Children that the operator created on the last day, by resource. On this day, the garbage collector deletes the children of a
   * deleted resource. On a busy machine, the operator can receive the deletion of a child before the deletion of its owner, because
   * they arrive on different watches. It then creates the child again, and the garbage collector deletes it, too. A life ends when
   * all children are gone.
   */
  readonly createdLast: Readonly<Record<string, number>>;
  /** All creates and deletes of children, by the audit log: `user verb resource/name code`. They explain a failure. */
  readonly history: readonly string[];
}

/** How many children the operator created and deleted, by the audit log of the API server. */
export interface Done {
  readonly created: number;
  readonly deleted: number;
}

/** Runs lives on one control plane, each in its own namespace under its own operator. */
export interface CrashRig extends AsyncDisposable {
  readonly live: (life: Life, killAt: KillAt) => Promise<CrashedLife>;
}

/** An operator that is restarted whenever it was killed. */
interface Supervised extends AsyncDisposable, Keeper {
  readonly kill: () => Promise<void>;
}

const supervise = (start: () => OperatorProcess): Supervised => {
  let operator = start();
  const killed = new Set<OperatorProcess>();
  let isOver = false;
  return {
    kill: async () => {
      const victim = operator;
      killed.add(victim);
      await victim.stop('SIGKILL');
      // Calls overlap: two of them may ask for the end of the same process, or the last one may come after the end of the life.
      if (isOver || operator !== victim) return;
      operator = start();
    },
    kills: () => killed.size,
    awake: async () => {
      // An operator that is killed before it works is followed by another.
      for (let seen = operator; ; seen = operator) {
        await works(seen).catch(() => undefined);
        if (seen === operator) return;
      }
    },
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      await operator.stop();
    },
  };
};

/** Counts the mutating calls of a life's namespace, and kills the operator at the calls that `killAt` names. */
const killPlan = (killAt: KillAt): FaultPlan => {
  let count = 0;
  return (call): Fault | undefined => {
    if (!isMutating(call) || ['leases', 'events'].includes(call.resource)) return undefined;
    count += 1;
    const when = killAt(count);
    return when && { fault: 'kill', when };
  };
};

/** The children that the operator has created and deleted in a namespace so far, by the audit log. */
const doneIn = async (place: Place, resources: readonly string[]): Promise<Record<string, Done>> => {
  const { plane, namespace } = place;
  const entries = (await plane.auditEntries({ user: OPERATOR_USER, namespace })).filter(
    // A dry run changed nothing.
    ({ subresource, requestURI }) => subresource === '' && !requestURI.includes('dryRun='),
  );
  const count = (resource: string, verbs: readonly string[], code: number): number =>
    entries.filter((entry) => entry.resource === resource && entry.code === code && verbs.includes(entry.verb)).length;
  return Object.fromEntries(
    resources.map((resource) => [
      resource,
      // A patch that creates is answered by 201, too.
      { created: count(resource, ['create', 'patch'], 201), deleted: count(resource, ['delete'], 200) },
    ]),
  );
};

/** The creates and deletes of a whole life, with the creates of the last day apart. */
const withLastDay = (
  before: Readonly<Record<string, Done>>,
  all: Readonly<Record<string, Done>>,
): Pick<CrashedLife, 'done' | 'createdLast'> => {
  const each = Object.entries(all).map(([resource, { created: total, deleted }]) => {
    const created = before[resource]?.created ?? 0;
    return { resource, done: { created, deleted }, last: total - created };
  });
  return {
    done: Object.fromEntries(each.map(({ resource, done }) => [resource, done])),
    createdLast: Object.fromEntries(each.map(({ resource, last }) => [resource, last])),
  };
};

const CREATE_OR_DELETE = new Set(['create', 'patch', 'delete', 'deletecollection']);

/** The creates and deletes of children by all users, without the updates. */
const historyIn = async ({ plane, namespace }: Place, resources: readonly string[]): Promise<readonly string[]> =>
  (await plane.auditEntries({ namespace }))
    .filter(({ resource, subresource }) => resources.includes(resource) && subresource === '')
    .filter(({ verb, code }) => CREATE_OR_DELETE.has(verb) && (verb !== 'patch' || code !== 200))
    .map(({ user, verb, resource, name, code }) => `${user} ${verb} ${resource}/${name} ${code}`);

/**
 * The operator as the image contains it; it finds its API server as in a pod. The bundle needs a third of the CPU time of the
 * sources to start, and a life restarts its operator again and again.
 */
const operatorBehind = async (plane: ControlPlane, proxy: FaultProxy): Promise<OperatorProcessOptions> => {
  const folder = join(plane.access.folder, 'bundled-operator');
  await bundleOperator(folder);
  const env = {
    ...(await podEnvironment(plane, proxy.url)),
    LEADER_ELECTION: 'false',
    // The log shows when the operator works.
    LOG_LEVEL: 'info',
    // Filled by the first operator that ends by itself.
    NODE_COMPILE_CACHE: join(plane.access.folder, 'compile-cache'),
  };
  return { kubeconfig: '', entryPoint: join(folder, 'operator.mjs'), env };
};

const inNamespace = (operator: OperatorProcessOptions, namespace: string): OperatorProcessOptions => ({
  ...operator,
  env: { ...operator.env, WATCH_NAMESPACE: namespace },
});

/** Runs an operator until it ends by itself, to fill the compile cache. */
const warmUp = async (operator: OperatorProcessOptions): Promise<void> => {
  const started = await startOperator(inNamespace(operator, 'default'));
  await started.stop();
};

const liveOnce = async (
  { plane, proxy, operator: options, plans, victims }: RigParts,
  life: Life,
  killAt: KillAt,
): Promise<CrashedLife> => {
  const namespace = await plane.createNamespace('life');
  const place = { plane, namespace };
  plans.set(namespace, killPlan(killAt));
  await using operator = supervise(() => spawnOperator(inNamespace(options, namespace)));
  victims.set(namespace, operator.kill);
  const story = await liveThrough(life, place, operator);
  const own = mutationsOf(proxy.decisions).filter(({ call }) => call.namespace === namespace);
  const mutations = own.map(({ call }) => `${call.verb} ${call.resource}`);
  const before = await historyIn(place, life.children);
  const doneBefore = await doneIn(place, life.children);
  await life.lastDay(place);
  const after = (await historyIn(place, life.children)).slice(before.length);
  const history = [...before, 'the last day', ...after];
  const counted = withLastDay(doneBefore, await doneIn(place, life.children));
  return { ...story, mutations, kills: operator.kills(), ...counted, history };
};

interface RigParts {
  readonly plane: ControlPlane;
  readonly proxy: FaultProxy;
  readonly operator: OperatorProcessOptions;
  /** Faults of the calls of each namespace, by namespace. */
  readonly plans: Map<string, FaultPlan>;
  /** A function that kills the operator of a namespace, by namespace. */
  readonly victims: Map<string, () => Promise<void>>;
}

/** Puts a proxy in front of a plane on which the bundle is installed. */
export const startCrashRig = async (plane: ControlPlane): Promise<CrashRig> => {
  const plans = new Map<string, FaultPlan>();
  const victims = new Map<string, () => Promise<void>>();
  const proxy = await startFaultProxy(behindOf(plane), {
    plan: (call) => plans.get(call.namespace)?.(call),
    kill: async ({ namespace }) => victims.get(namespace)?.(),
  });
  const operator = await operatorBehind(plane, proxy);
  await warmUp(operator);
  const parts = { plane, proxy, operator, plans, victims };
  return {
    live: (life, killAt) => liveOnce(parts, life, killAt),
    [Symbol.asyncDispose]: proxy.stop,
  };
};
