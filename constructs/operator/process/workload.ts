import type { ConversionWorkload } from '#constructs/operator/conversion.ts';
import type { LogLevel } from '#constructs/operator/props.ts';
import type { EffectHostLists } from '#lib/desired/hosts/effect-hosts.ts';
import type { EventsSetting } from '#lib/desired/settings/events-setting.ts';
import type { Tuning } from '#lib/desired/settings/tuning.ts';
import type { TrustProps } from './trust.ts';

/**
 * The settings of the Deployment that differ between operators. Without `logLevel` or `events`, the process uses its defaults.
 */
export interface Workload {
  readonly image: string;
  /** The only namespaces in which the operator reconciles resources; `undefined` for all namespaces. */
  readonly namespaces: readonly string[] | undefined;
  /** Allowed hosts of HTTP effects; `undefined` allows no hosts. */
  readonly effectHosts: EffectHostLists | undefined;
  /** The Prometheus server for metrics without the field `address`. */
  readonly prometheusUrl: string | undefined;
  /** CA certificates that the process trusts in addition to the built-in ones. */
  readonly trust: TrustProps | undefined;
  /** The conversion webhook; `undefined` if no kind needs it. */
  readonly conversion: ConversionWorkload | undefined;
  readonly memoryMiB: number;
  readonly logLevel: LogLevel | undefined;
  readonly metricsAuthentication: boolean;
  readonly events: EventsSetting | undefined;
  readonly tuning: Tuning;
  readonly isRecorded: boolean;
}
