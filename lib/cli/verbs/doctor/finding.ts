/** Result of a check. */
export interface Finding {
  /** Name of the check: `cluster`, `clock`, `crd`, `operator`, `lease`, `rights`, `deletion`. */
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'failed';
  /** The result in words. */
  readonly message: string;
  /** How to fix it; absent for `ok`. */
  readonly fix?: string;
}

/** A passed check. */
export const ok = (check: string, message: string): Finding => ({ check, state: 'ok', message });

/** A check with a warning. */
export const warning = (check: string, message: string, fix: string): Finding => ({
  check,
  state: 'warning',
  message,
  fix,
});

/** A failed check. */
export const failed = (check: string, message: string, fix: string): Finding => ({
  check,
  state: 'failed',
  message,
  fix,
});
