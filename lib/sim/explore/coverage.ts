import type { FaultClass } from '#lib/sim/world/step/step.ts';
import type { TraceEntry } from '#lib/sim/world/step/trace.ts';

/** The classes of faults that can hit a single write. */
export const WRITE_FAULTS = [
  'request lost',
  'answer lost',
  'error answer',
  'conflict',
  'crash',
] as const satisfies readonly FaultClass[];

/** Which faults hit which writes of the operators, over all runs of an exploration. */
export interface FaultCoverage {
  /** Every write that occurred, without the name of its object, such as `create pods`; sorted. */
  readonly writes: readonly string[];
  /**
   * For each class of faults, the writes that it hit at least once; sorted. A crash hits a write if the API server has handled
   * the write, and the operator has not received the response.
   */
  readonly hit: Readonly<Record<(typeof WRITE_FAULTS)[number], readonly string[]>>;
}

/** Collects the coverage of faults from the traces of many runs. */
export class CoverageRecorder {
  readonly #writes = new Set<string>();
  readonly #hit: Readonly<Record<string, Set<string>>> = Object.fromEntries(
    WRITE_FAULTS.map((name) => [name, new Set()]),
  );

  /** Adds the steps of one run. */
  add(trace: readonly TraceEntry[]): void {
    /** The number of writes of each sort that the API server has handled, without a received response. */
    const open = new Map<string, number>();
    for (const { label, fault, write } of trace) {
      if (fault === 'crash') {
        for (const [each, count] of open) if (count > 0) this.#hit[fault]?.add(each);
        open.clear();
      }
      if (write === undefined) continue;
      this.#writes.add(write);
      if (fault !== undefined) this.#hit[fault]?.add(write);
      const isHandled = fault === undefined && label.includes(' → ');
      open.set(write, Math.max(0, (open.get(write) ?? 0) + (isHandled ? 1 : -1)));
    }
  }

  report(): FaultCoverage {
    const hit = Object.fromEntries(WRITE_FAULTS.map((name) => [name, [...(this.#hit[name] ?? [])].toSorted()]));
    return { writes: [...this.#writes].toSorted(), hit: hit as unknown as FaultCoverage['hit'] };
  }
}
