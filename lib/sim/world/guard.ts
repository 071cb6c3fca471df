import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { underWatch } from './watchdog.ts';

/** Knows whether a function under test is being called, or was and never returned. */
export class Guard {
  #kind = '';

  /** The kind whose function is being called; '' for none. */
  get running(): string {
    return this.#kind;
  }

  /** A definition whose function is ended when it never returns. */
  over(definition: AnyKindDefinition): AnyKindDefinition {
    const desired: AnyKindDefinition['desired'] = (seen) => {
      this.#kind = definition.kind;
      try {
        return underWatch(() => definition.desired(seen));
      } finally {
        this.#kind = '';
      }
    };
    return { ...definition, desired };
  }
}
