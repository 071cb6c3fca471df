import { FAILURE_MESSAGE_LENGTH, STATUS_IMPAIRED } from '#lib/desired/result/conditions.ts';
import type { DesiredCondition } from '#lib/desired/result/desired.ts';
import { ApiError } from '#lib/errors.ts';
import { refusalReasonOf } from '#lib/loop/pass/execute/refusal.ts';

/**
 * The condition of a resource when the API server refuses the status of the function; undefined for other errors. For example, a
 * validation rule of the status is violated. The loop checks the schema of a status, but no validation rules.
 *
 * @param error - the error of the write of the status
 */
export const refusedStatusCondition = (error: unknown): DesiredCondition | undefined => {
  if (!(error instanceof ApiError) || refusalReasonOf(error) !== 'Invalid') return undefined;
  const faults = error.causes.map(({ field = 'status', message = '' }) => `${field}: ${message}`);
  const text = faults.length > 0 ? faults.join('; ') : error.serverMessage;
  const message = `the API server refuses the status of the function: ${text}`.slice(0, FAILURE_MESSAGE_LENGTH);
  return { type: STATUS_IMPAIRED, status: 'True', reason: 'Invalid', message };
};
