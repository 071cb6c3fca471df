import { ConnectionError } from '#lib/errors.ts';

/** A stream holds something that cannot be read, and would hold it again: what it said is lost, only a list can tell. */
export class MalformedStreamError extends ConnectionError {}

/** A stream that had begun broke off: the server sends it, and what came before is good. */
export class BrokenStreamError extends ConnectionError {}

/** An answer is longer than can be taken at once; fewer items may fit. */
export class TooLargeError extends ConnectionError {}
