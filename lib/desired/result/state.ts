/**
 * The state of a resource, in the terms of kstatus. The loop converts it to the conditions Ready, Reconciling and Stalled.
 *
 * The message must be stable: no countdowns, no timestamps, no resource versions, lists sorted.
 */
export interface State {
  readonly state: 'ready' | 'progressing' | 'stalled';
  /** CamelCase, at most 1,024 characters. */
  readonly reason: string;
  readonly message: string;
}

/** The state of the spec is reached: Ready=True. */
export const ready = (reason: string, message: string): State => ({ state: 'ready', reason, message });

/** On the way: Ready=False, Reconciling=True. */
export const progressing = (reason: string, message: string): State => ({ state: 'progressing', reason, message });

/** Stuck until a person acts: Ready=False, Stalled=True. */
export const stalled = (reason: string, message: string): State => ({ state: 'stalled', reason, message });
