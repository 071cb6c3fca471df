/** The state of the leading operator at a moment. */
export interface SoakSample {
  /** Seconds since the segment began. */
  readonly seconds: number;
  /** The resident set, in MiB. */
  readonly rssMiB: number;
  /** The heap in use, in MiB; with garbage, except at the two rests. */
  readonly heapMiB: number;
  /** Open file descriptors. */
  readonly handles: number;
  /** Open watches. */
  readonly watches: number;
  /** Resources that wait for a pass. */
  readonly queue: number;
  /** Objects in the caches. */
  readonly objects: number;
}

/** The result of one segment of the soak: an operator and its standby under disturbances, with a rest before and after. */
export interface SoakSegment {
  /** The number of the segment, which is also its seed. */
  readonly segment: number;
  /** Minutes from the first creation to the end of the last check. */
  readonly minutes: number;
  readonly resources: number;
  /** Requests of the driver: edits, creations, deletions and statuses of pods. */
  readonly requests: number;
  /** Edits that the API server accepted. Absent in results of older commits. */
  readonly edits?: number;
  /** The number of disturbances, by name. */
  readonly disturbances: Readonly<Record<string, number>>;
  /** How processes of the operator ended, and how often. */
  readonly ends: Readonly<Record<string, number>>;
  /** The first rest, when all resources were created and up to date; and the last one. Garbage was collected before. */
  readonly firstRest: SoakSample;
  readonly lastRest: SoakSample;
  /** Objects that differed between a cache and the API server. */
  readonly drift: number;
  /** Writes of the operators during the last rest, without leases. */
  readonly writesAtRest: number;
  /** At most 120 samples. */
  readonly samples: readonly SoakSample[];
  /** Moments of the segment, in seconds. */
  readonly phases: readonly { readonly name: string; readonly seconds: number }[];
  /** Each failed check, as a sentence. */
  readonly failures: readonly string[];
}
