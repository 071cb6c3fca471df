import { ConnectionError } from '#lib/errors.ts';

/** A stream has unreadable content, and would have it again: its events are lost, so a list is needed. */
export class MalformedStreamError extends ConnectionError {}

/** A running stream broke off: the server supports it, and its events so far are valid. */
export class BrokenStreamError extends ConnectionError {}

/** An answer is longer than can be taken at once; fewer items may fit. */
export class TooLargeError extends ConnectionError {}
