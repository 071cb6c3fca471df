import { isReconcileError, ReconcileError } from '#lib/errors.ts';

/** An object cannot be written in another version. Hurts everybody who reads it in that version, alone or in a list. */
export class ConversionError extends ReconcileError {
  /**
   * @param what - the step, such as `v1alpha1 to v1beta1`
   * @param path - of the field; empty when it is not known
   * @param problem - what is wrong, in one sentence without a full stop
   */
  constructor(what: string, path: string, problem: string, options?: ErrorOptions) {
    super('Conversion', `${what}: ${path === '' ? '' : `${path}: `}${problem}`, options);
  }
}

const classOf = (error: unknown): string =>
  error instanceof Error
    ? `${error.constructor.name}${isReconcileError(error) ? ` (${error.code})` : ''}`
    : typeof error;

/**
 * What may be told of an error, to logs and to whoever asked. Messages of engines and libraries quote what they were given, as
 * `JSON.parse` does, and that may be a secret: they are not told.
 *
 * @returns the message of a {@link ConversionError}, which names fields; of anything else, its class alone
 */
export const tellable = (error: unknown): string =>
  error instanceof ConversionError ? error.message : `threw ${classOf(error)}`;
