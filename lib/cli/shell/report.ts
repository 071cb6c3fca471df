import { ApiError, ConfigurationError, ConnectionError, isReconcileError } from '#lib/errors.ts';
import type { CliContext } from './context.ts';
import { printable } from './output.ts';

/** The command line is invalid: the value of an option, or a combination of options. The exit code is 64. */
export class UsageError extends ConfigurationError {}

/** The remedy for the status codes 401 and 403; empty for other errors. */
const remedyOf = (error: ApiError): string => {
  switch (error.httpStatus) {
    case 401:
      return '; sign in again, or choose another user: --kubeconfig, --context';
    case 403:
      return '; ask for the right, or choose another user: --kubeconfig, --context';
    default:
      return '';
  }
};

/**
 * The text for an error: the message for a mistake of the user or a problem of the environment; the stack for a bug of this
 * library.
 *
 * @param error - a thrown value
 */
export const wordsOf = (error: unknown): string => {
  if (error instanceof ApiError) return `${error.message}${remedyOf(error)}`;
  if (error instanceof ConnectionError)
    return `${error.message}; see that the cluster is up and that the kubeconfig names the right one: cdk8s-reconcile doctor`;
  if (isReconcileError(error)) return error.message;
  if (error instanceof Error && 'code' in error && 'syscall' in error) return error.message;
  return `a mistake of this program, which should be reported: ${String(error instanceof Error ? error.stack : error)}`;
};

/**
 * Prints an error on `stderr`.
 *
 * @param context - the process
 * @param error - a thrown value
 */
export const reportError = (context: CliContext, error: unknown): void =>
  void context.stderr.write(`${context.program}: ${printable(wordsOf(error))}\n`);
