/** Result of a check. */
export interface DoctorFinding {
  /** The name of the check: `cluster`, `clock`, `crd`, `operator`, `lease`, `rights`, `deletion`, `release`. */
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'failed';
  /** The result as a sentence. */
  readonly message: string;
  /** The remedy; absent for `ok`. */
  readonly fix?: string;
}

/** Makes the finding of a passed check. */
export const ok = (check: string, message: string): DoctorFinding => ({ check, state: 'ok', message });

const withFix =
  (state: 'warning' | 'failed') =>
  (check: string, message: string, fix: string): DoctorFinding => ({ check, state, message, fix });

/** Makes a finding that is a warning. */
export const warning = withFix('warning');

/** Makes the finding of a failed check. */
export const failedCheck = withFix('failed');
