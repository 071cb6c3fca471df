import type { ConversionWorkload } from '#constructs/operator/conversion.ts';
import type { LogLevel } from '#constructs/operator/props.ts';
import type { EffectHostLists } from '#lib/desired/hosts/effect-hosts.ts';
import type { EventsSetting } from '#lib/desired/settings/events-setting.ts';
import type { Tuning } from '#lib/desired/settings/tuning.ts';
import type { TrustProps } from './trust.ts';

/** Image and settings of the pods, and the namespaces of the operator; all by default. */
export interface Workload {
  readonly image: string;
  readonly namespaces: readonly string[] | undefined;
  /** Allowed hosts of HTTP effects. None by default. */
  readonly effectHosts: EffectHostLists | undefined;
  /** Where metrics without a server of their own go. */
  readonly prometheusUrl: string | undefined;
  /** Certificates that the process trusts in addition to the well-known ones. */
  readonly trust: TrustProps | undefined;
  /** The conversion webhook, when there is one. */
  readonly conversion: ConversionWorkload | undefined;
  /** The memory limit of the container, in MiB. */
  readonly memoryMiB: number;
  /** Undefined for the default of the process. */
  readonly logLevel: LogLevel | undefined;
  /** Metrics are shown to those that the API server lets read them. */
  readonly metricsAuthentication: boolean;
  /** Which events are written; undefined for those of the process. */
  readonly events: EventsSetting | undefined;
  /** Numbers that were set. */
  readonly tuning: Tuning;
  /** Whether passes are recorded on a volume. */
  readonly isRecorded: boolean;
}
