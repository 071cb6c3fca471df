/** Something that keeps an object from being ready. */
export interface Cause {
  /** `Pod/web-x7k2p`. */
  readonly where: string;
  /** In plain words. */
  readonly why: string;
  /** What to do about it. */
  readonly next: string;
}
