/** A reason why an object is not ready. */
export interface Cause {
  /** The object, such as `Pod/web-x7k2p`. */
  readonly where: string;
  readonly why: string;
  /** The next step for the user; empty if none is known. */
  readonly next: string;
}
