import { isReconcileError, ReconcileError } from '#lib/errors.ts';

/**
 * An object cannot be converted to another version. Every request that needs this conversion fails, such as a list in that
 * version.
 */
export class ConversionError extends ReconcileError {
  /**
   * @param what - the step, such as `v1alpha1 to v1beta1`
   * @param path - the path of the field; empty when it is unknown
   * @param problem - the problem, in one sentence without a full stop
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
 * Returns the part of an error that is safe for logs and responses. Other messages are omitted, because they may quote their
 * input, as messages of `JSON.parse` do. The input may be secret.
 *
 * @returns the message of a {@link ConversionError}, which names fields; for any other error only its class, and its code if this
 * library defines the class
 */
export const tellable = (error: unknown): string =>
  error instanceof ConversionError ? error.message : `threw ${classOf(error)}`;
