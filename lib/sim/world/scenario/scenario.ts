import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { GroupResource } from '#lib/apiserver/machinery/request.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { Actor } from '#lib/controllers/actor.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { HttpAnswer } from '#lib/kube/interface/http.ts';
import type { Manager, ManagerOptions } from '#lib/loop/manager/manager.ts';
import type { HttpExchange } from './http-exchange.ts';
import type { User } from './user.ts';

/** The view of a cluster for invariants and outcomes. */
export interface ClusterView {
  /** The stored objects of a resource, sorted by namespace and name. */
  objects(resource: GroupResource, namespace?: string): readonly ServerObject[];
  /** All HTTP requests that operators sent for effects, in the order of sending, with their results. */
  readonly exchanges: readonly HttpExchange[];
  /** The current time in epoch milliseconds. */
  readonly nowMs: number;
  /** The label of the last step; empty before the first step. */
  readonly lastStep: string;
}

/** A condition that must hold after every step. */
export interface Invariant {
  readonly name: string;
  /** Checks the invariant. @returns the problem in words; `undefined` if the invariant holds */
  check(view: ClusterView): string | undefined;
  /**
   * The memory of the invariant about earlier steps, as JSON. A search needs this function if `check()` depends on earlier steps.
   */
  memory?(): unknown;
}

/** A scripted action of a scenario. */
export interface ScriptStep {
  readonly label: string;
  run(user: User): void;
}

/** The HTTP servers of a scenario to which effects send requests, such as webhook or metrics servers. */
export interface HttpScript {
  /** Allowed hosts of the operator, each in the form `host`, `host:port` or `*.domain`. */
  readonly allowedHosts: readonly string[];
  /**
   * Answers a request when it arrives. The function must be pure; earlier requests are in `view.exchanges`.
   *
   * Caveats: the state that a search compares contains stored objects, pending messages and exchanges, but not the time. For
   * this reason, use `view.nowMs` only in scenarios that run with random schedules.
   */
  answer(exchange: HttpExchange, view: ClusterView): HttpAnswer;
}

/** The input of a simulation: the kinds of an operator, the rest of the cluster, and the actions of users. */
export interface Scenario {
  readonly name: string;
  /** The kinds that the operator runs. Their CustomResourceDefinitions are installed at the start. */
  readonly kinds: readonly AnyKindDefinition[];
  /** The namespace of the operator, in which `elsewhere()` with `any` allows nothing. @default unknown */
  readonly ownNamespace?: string | undefined;
  /**
   * Creates the controllers and kubelets of the cluster.
   *
   * @default none in a `World`, those of a complete cluster in `simulationOf`
   */
  readonly actors?: (server: ApiServer, now: () => number) => readonly Actor[];
  /** The actions of users, in this order. In a run without faults, each action happens when the cluster is at rest. */
  readonly script: readonly ScriptStep[];
  /** Starts the loop of an operator. @default startManager */
  readonly start?: (this: void, options: ManagerOptions) => Manager;
  /** The HTTP servers to which effects send requests. @default none; the operator allows no host */
  readonly http?: HttpScript;
  /** Number of operators that run at the same time, at least 1. @default 1 */
  readonly operators?: number;
  /**
   * Creates the invariants of a run. Each run has its own invariants, so an invariant may remember earlier steps.
   *
   * @default none
   */
  readonly invariants?: () => readonly Invariant[];
  /**
   * Computes the outcome of a run from its final state, as JSON. Every run must have the same outcome, with and without faults.
   */
  readonly outcome: (view: ClusterView) => unknown;
}
