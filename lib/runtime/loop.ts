import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { Tuning } from '#lib/desired/settings/tuning.ts';
import type { Credentials } from '#lib/kube/credentials/authentication.ts';
import { IN_CLUSTER } from '#lib/kube/credentials/in-cluster.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import type { LoopMetrics } from '#lib/loop/context/metrics.ts';
import type { EffectsOptions } from '#lib/loop/effects/create-runner.ts';
import type { Leadership } from '#lib/loop/election/leadership.ts';
import type { EventSink } from '#lib/loop/events/event.ts';
import { type Manager, startManager } from '#lib/loop/manager/manager.ts';
import type { DecidedPass } from '#lib/loop/pass/decision.ts';
import type { Logger } from '#lib/telemetry/log.ts';
import { keepWasmBaseline } from './baseline-wasm.ts';
import type { LoopSettings } from './settings.ts';
import { unacceptedTeller } from './unaccepted.ts';

/** Options of {@link startLoop}. */
export interface LoopOptions extends LoopSettings {
  readonly kinds: readonly AnyKindDefinition[];
  readonly api: KubeApi;
  readonly log: Logger;
  readonly credentials: Credentials;
  readonly metrics: LoopMetrics;
  readonly events: EventSink;
  readonly leadership: Leadership | undefined;
  readonly effects: EffectsOptions | undefined;
  readonly onDecision: ((decision: DecidedPass) => void) | undefined;
  /** See `ManagerOptions`. */
  readonly onReadiness: (isReady: boolean) => void;
  readonly tuning: Tuning;
}

/** Starts the loop with the clock and the randomness of this process. The loop opens the first connections of the main thread. */
export const startLoop = ({
  credentials,
  namespaces,
  ownNamespace = credentials.source === IN_CLUSTER ? credentials.namespace : undefined,
  leadership,
  effects,
  onDecision,
  tuning: { concurrency, effectConcurrency, watchSilenceSeconds, writesInFlight },
  ...given
}: LoopOptions): Manager => {
  keepWasmBaseline();
  const optional = {
    ...(namespaces && { namespaces }),
    ...(ownNamespace !== undefined && { ownNamespace }),
    ...(leadership && { leadership }),
    ...(effects && { effects }),
    ...(onDecision && { onDecision }),
    ...(concurrency !== undefined && { concurrency }),
    ...(effectConcurrency !== undefined && { effectConcurrency }),
    ...(writesInFlight !== undefined && { writesInFlight }),
    ...(watchSilenceSeconds !== undefined && { silenceMs: watchSilenceSeconds * 1000 }),
  };
  const onWatchError = unacceptedTeller({ credentials, log: given.log, timers: systemTimers });
  return startManager({ ...given, ...optional, timers: systemTimers, random: Math.random, onWatchError });
};
