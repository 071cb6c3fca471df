import type { StepNature } from './step.ts';

/** What happened in one step. */
export interface TraceEntry {
  /** Counted from 1. */
  readonly step: number;
  /** Milliseconds since the start. */
  readonly atMs: number;
  readonly nature: StepNature;
  readonly label: string;
  /** What came of it: an answer's code, say. */
  readonly outcome: string;
  /** What was said meanwhile: the log of the operators. */
  readonly notes: readonly string[];
}

/** What happened in a run, step by step. */
export class Trace {
  readonly #entries: TraceEntry[] = [];
  #notes: string[] = [];

  get entries(): readonly TraceEntry[] {
    return this.#entries;
  }

  /** The number of the step that is under way, or comes next. */
  get step(): number {
    return this.#entries.length + 1;
  }

  /** Remembers a remark for the step that is under way. */
  note(text: string): void {
    this.#notes.push(text);
  }

  /** Ends a step. */
  add(entry: Omit<TraceEntry, 'step' | 'notes'>): void {
    this.#entries.push({ ...entry, step: this.step, notes: this.#notes });
    this.#notes = [];
  }
}

const MARKS: Readonly<Record<StepNature, string>> = {
  progress: ' ',
  script: '>',
  time: ' ',
  harmless: ' ',
  fault: '!',
};

const timeOf = (ms: number): string => `+${(ms / 1000).toFixed(3)}s`;

/**
 * A trace as a timeline, one line per step: number, mark (`>` for the script, `!` for a fault), time, what happened.
 *
 * @example
 * //  12 !   +0.000s  answer lost: operator-1 create pods default/web-4f2c
 */
export const timeline = (entries: readonly TraceEntry[]): string =>
  entries
    .map(({ step, atMs, nature, label, outcome, notes }) => {
      const line = `${String(step).padStart(4)} ${MARKS[nature]} ${timeOf(atMs).padStart(11)}  ${label}`;
      const lines = [outcome === '' ? line : `${line}: ${outcome}`, ...notes.map((note) => `${' '.repeat(21)}${note}`)];
      return lines.join('\n');
    })
    .join('\n');
