import { Script } from 'node:vm';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';

/** How long a desired-state function may compute, in milliseconds; far beyond what any sane one needs. */
const LIMIT_MS = 2000;

/** Runs what the global scope holds under this name; vm is the only way to stop a function that never returns. */
const SLOT: unique symbol = Symbol.for('cdk8s-reconcile.simulated-call');
const script = new Script(`globalThis[Symbol.for('cdk8s-reconcile.simulated-call')]()`);
const scope = globalThis as { [SLOT]?: () => unknown };

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/**
 * A definition whose function is stopped when it never returns.
 *
 * @param onHang - told before the function's caller gets an error; the run should end
 */
export const guarded = (definition: AnyKindDefinition, onHang: (message: string) => void): AnyKindDefinition => ({
  ...definition,
  desired: (seen) => {
    scope[SLOT] = () => definition.desired(seen);
    try {
      return script.runInThisContext({ timeout: LIMIT_MS }) as ReturnType<AnyKindDefinition['desired']>;
    } catch (error) {
      if (isTimeout(error)) onHang(`desired() of ${definition.kind} did not return within ${LIMIT_MS} ms`);
      throw error;
    }
  },
});
