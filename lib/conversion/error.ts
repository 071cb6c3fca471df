import { ReconcileError } from '#lib/errors.ts';

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
