/** The error of a body that cannot be decoded, with the message of Go's decoder. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/** The error of a body without apiVersion and kind. */
export class UnrecognizedError extends DecodeError {}
