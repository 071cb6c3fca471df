import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ApiError, ConfigurationError, type ReconcileError } from '#lib/errors.ts';
import type { KubeApi } from '#lib/kube/api.ts';
import type { Credentials } from '#lib/kube/authentication.ts';
import { systemTimers } from '#lib/kube/timers.ts';
import type { EffectsOptions } from '#lib/loop/effects/create-runner.ts';
import type { Leadership } from '#lib/loop/election/leadership.ts';
import type { EventSink } from '#lib/loop/events/event.ts';
import { type Manager, startManager } from '#lib/loop/manager.ts';
import type { LoopMetrics } from '#lib/loop/metrics.ts';
import type { Decision } from '#lib/loop/pass/decision.ts';
import type { Logger } from '#lib/telemetry/log.ts';

/** What a loop of this process is made of. */
export interface LoopOptions {
  readonly kinds: readonly AnyKindDefinition[];
  readonly api: KubeApi;
  readonly log: Logger;
  readonly credentials: Credentials;
  readonly namespaces: readonly string[] | undefined;
  readonly metrics: LoopMetrics;
  readonly events: EventSink;
  readonly leadership: Leadership | undefined;
  readonly effects: EffectsOptions | undefined;
  readonly onDecision: ((decision: Decision) => void) | undefined;
}

/** A loop that works, and the news that it never will. */
export interface RunningLoop {
  readonly manager: Manager;
  /** Rejects when the API server does not know us from the start: waiting would not help. Never resolves. */
  readonly refused: Promise<never>;
}

/** Starts the loop on the clock and the luck of this process. */
export const startLoop = ({
  credentials,
  namespaces,
  leadership,
  effects,
  onDecision,
  ...given
}: LoopOptions): RunningLoop => {
  const { promise: refused, reject } = Promise.withResolvers<never>();
  const onWatchError = (error: ReconcileError): void => {
    if (manager.isReady() || !(error instanceof ApiError && error.httpStatus === 401)) return;
    const what = `${credentials.server} does not accept the credentials of ${credentials.source}`;
    reject(
      new ConfigurationError(`${what}: set KUBECONFIG to one with a valid token or certificate`, { cause: error }),
    );
  };
  // It may reject before, or without, anybody waiting for it.
  refused.catch(() => undefined);
  const optional = {
    ...(namespaces && { namespaces }),
    ...(leadership && { leadership }),
    ...(effects && { effects }),
    ...(onDecision && { onDecision }),
  };
  const manager = startManager({ ...given, ...optional, timers: systemTimers, random: Math.random, onWatchError });
  return { manager, refused };
};
