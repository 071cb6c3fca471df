/**
 * The state of a resource, in the terms of kstatus. The loop converts it to the conditions Ready, Reconciling and Stalled.
 *
 * The message must not change without a cause: it should contain no countdowns, times or resource versions, and lists in it
 * should be sorted.
 */
export interface State {
  readonly state: 'ready' | 'progressing' | 'stalled';
  /** The reason in CamelCase, at most 1,024 characters. */
  readonly reason: string;
  readonly message: string;
}

/** The resource has the state of its spec: Ready=True. */
export const ready = (reason: string, message: string): State => ({ state: 'ready', reason, message });

/** The resource does not have the state of its spec yet: Ready=False, Reconciling=True. */
export const progressing = (reason: string, message: string): State => ({ state: 'progressing', reason, message });

/** The resource cannot get the state of its spec until a user acts: Ready=False, Stalled=True. */
export const stalled = (reason: string, message: string): State => ({ state: 'stalled', reason, message });
