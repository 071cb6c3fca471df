/** The error of a body that cannot be decoded, with the message of Go's decoder. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/** The error of a body that is not an object, or of a custom resource without a kind. */
export class UnrecognizedError extends DecodeError {}
