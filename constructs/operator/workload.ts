import type { ConversionWorkload } from './conversion.ts';
import type { LogLevel } from './props.ts';

/** What the pods run, and where they work; all namespaces unless told which. */
export interface Workload {
  readonly image: string;
  readonly namespaces: readonly string[] | undefined;
  /** Where HTTP effects may go; nowhere unless told. */
  readonly effectHosts: readonly string[] | undefined;
  /** Where metrics without a server of their own go. */
  readonly prometheusUrl: string | undefined;
  /** The conversion webhook, when there is one. */
  readonly conversion: ConversionWorkload | undefined;
  /** What a container may use, in MiB. */
  readonly memoryMiB: number;
  /** Undefined for that of the process. */
  readonly logLevel: LogLevel | undefined;
  /** Whether passes are recorded on a volume. */
  readonly isRecorded: boolean;
}
