import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { GroupResource } from '#lib/apiserver/machinery/request.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { Actor } from '#lib/controllers/actor.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { HttpAnswer } from '#lib/kube/interface/http.ts';
import type { Manager, ManagerOptions } from '#lib/loop/manager/manager.ts';
import type { HttpExchange } from './http-exchange.ts';
import type { User } from './user.ts';

/** The cluster as invariants and outcomes see it. */
export interface ClusterView {
  /** Objects of a resource as they are stored, sorted by namespace and name. */
  objects(resource: GroupResource, namespace?: string): readonly ServerObject[];
  /** All requests to the world outside that operators have sent, in this order, and what became of them. */
  readonly exchanges: readonly HttpExchange[];
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** What happened last; empty before the first step. */
  readonly lastStep: string;
}

/** What must hold after every step. */
export interface Invariant {
  readonly name: string;
  /** @returns the problem, or `undefined` */
  check(view: ClusterView): string | undefined;
  /** What it remembers of earlier steps, as JSON; needed by a search when it remembers anything. */
  memory?(): unknown;
}

/** A scripted action of a scenario. */
export interface ScriptStep {
  readonly label: string;
  run(user: User): void;
}

/** The world outside of the cluster, as a scenario writes it down. */
export interface HttpScript {
  /** Allowed hosts of the operator; each `host`, `host:port` or `*.domain`. */
  readonly allowedHosts: readonly string[];
  /**
   * Answers a request when it arrives. The function must be pure; earlier requests are in `view.exchanges`.
   *
   * Caveats: the state that a search compares contains stored objects, pending messages and exchanges, but not the time. For
   * this reason, use `view.nowMs` only in scenarios that run with random schedules.
   */
  answer(exchange: HttpExchange, view: ClusterView): HttpAnswer;
}

/** What is simulated: the kinds of an operator, its surroundings, and what happens to its resources. */
export interface Scenario {
  readonly name: string;
  /** The kinds that the operator runs; their CRDs are installed. */
  readonly kinds: readonly AnyKindDefinition[];
  /** The controllers and kubelets of the cluster. @default in a `World` none, in `simulationOf` those of a cluster */
  readonly actors?: (server: ApiServer, now: () => number) => readonly Actor[];
  /** In this order; when nothing goes wrong each begins when everything is at rest. */
  readonly script: readonly ScriptStep[];
  /** Starts the operator's process. @default startManager */
  readonly start?: (this: void, options: ManagerOptions) => Manager;
  /** Answers the requests to the world outside of the cluster. @default no host is allowed */
  readonly http?: HttpScript;
  /** How many operators run at once, 1 or more. @default 1 */
  readonly operators?: number;
  /** Made anew for each run, so that they may remember what they saw. @default none */
  readonly invariants?: () => readonly Invariant[];
  /** What has to be the same in the end, whatever went wrong on the way; JSON. */
  readonly outcome: (view: ClusterView) => unknown;
}
