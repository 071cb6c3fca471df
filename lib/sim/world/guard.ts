import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { LIMIT_MS } from './watchdog.ts';

/** Knows whether a function under test is being called, or was and never returned. */
export class Guard {
  /** The kind whose function is being called; '' for none. */
  #kind = '';

  /** A definition whose calls are known. */
  over(definition: AnyKindDefinition): AnyKindDefinition {
    const desired: AnyKindDefinition['desired'] = (seen) => {
      this.#kind = definition.kind;
      try {
        return definition.desired(seen);
      } finally {
        this.#kind = '';
      }
    };
    return { ...definition, desired };
  }

  /** What to say of a step that had to be ended: whether a function under test was to blame, or the loop. */
  hangInWords(label: string): string {
    const what =
      this.#kind === '' ? `What "${label}" set off did not end` : `desired() of ${this.#kind} did not return`;
    return `${what} within ${LIMIT_MS} ms`;
  }
}
