/** Why a body could not be read, in the words of Go's decoder. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/** A body that does not even say of which kind it is. */
export class UnrecognizedError extends DecodeError {}
