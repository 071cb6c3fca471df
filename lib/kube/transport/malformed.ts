import { ConnectionError } from '#lib/errors.ts';

/** The error of a stream with unreadable content. A retry would get the same content, so a list must replace the lost events. */
export class MalformedStreamError extends ConnectionError {}

/** The error of a running stream that broke off. The server supports the stream, and the events so far are valid. */
export class BrokenStreamError extends ConnectionError {}

/** The error of a response that is too long. A page with fewer items may be short enough. */
export class TooLargeError extends ConnectionError {}
