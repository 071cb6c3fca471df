/** The error of a body that cannot be decoded, with the message of Go's decoder. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/** The error of a body that does not have a readable kind: it is not an object, or its apiVersion or its kind is not a text. */
export class TypeMetaError extends DecodeError {
  constructor(why: string) {
    super(`couldn't get version/kind; json parse error: ${why}`);
  }
}

/** The error of a custom resource without a kind. */
export class MissingKindError extends DecodeError {}
