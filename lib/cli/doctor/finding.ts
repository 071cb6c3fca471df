/** What one check came to. */
export interface Finding {
  /** In one word: `cluster`, `clock`, `crd`, `operator`, `lease`, `rights`. */
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'failed';
  /** What was found. */
  readonly message: string;
  /** The way out; absent when all is well. */
  readonly fix?: string;
}

/** All is well. */
export const ok = (check: string, message: string): Finding => ({ check, state: 'ok', message });

/** It works, and deserves a look. */
export const warning = (check: string, message: string, fix: string): Finding => ({
  check,
  state: 'warning',
  message,
  fix,
});

/** It does not work. */
export const failed = (check: string, message: string, fix: string): Finding => ({
  check,
  state: 'failed',
  message,
  fix,
});
