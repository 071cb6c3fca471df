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

const textOf = ({ label, outcome }: TraceEntry): string => (outcome === '' ? label : `${label}: ${outcome}`);

interface Line {
  readonly first: TraceEntry;
  readonly text: string;
  readonly notes: readonly string[];
}

const ARROWS = /^(\S+) (→|←) (.*)$/;

/** A request and its answer, when nothing came between them. */
const exchange = (asked: TraceEntry, next: TraceEntry | undefined): string | undefined => {
  const [, host, arrow, words] = ARROWS.exec(asked.label) ?? [];
  if (arrow !== '→' || next?.label !== `${host} ← ${words}` || next.outcome !== asked.outcome) return undefined;
  return `${host} ⇄ ${words}: ${next.outcome}`;
};

const linesOf = (entries: readonly TraceEntry[]): Line[] => {
  const lines: Line[] = [];
  for (let index = 0; index < entries.length; index += 1) {
    const entry = entries[index] as TraceEntry;
    const next = entries[index + 1];
    const both = exchange(entry, next);
    if (both !== undefined && next !== undefined) {
      lines.push({ first: entry, text: both, notes: [...entry.notes, ...next.notes] });
      index += 1;
    } else if (entry.nature !== 'time' || entry.notes.length > 0) {
      lines.push({ first: entry, text: textOf(entry), notes: entry.notes });
    }
  }
  return lines;
};

/**
 * Formats a trace as a timeline. Each line has a number, a mark (`>` for the script, `!` for a fault), a time and an event. A
 * request with an immediate response is one line. An advance of time has no line; the next line shows the new time.
 *
 * @example
 * //  12 !   +0.000s  answer lost: operator-1 create pods default/web-4f2c
 */
export const timeline = (entries: readonly TraceEntry[]): string =>
  linesOf(entries)
    .map(({ first: { step, nature, atMs }, text, notes }) => {
      const line = `${String(step).padStart(4)} ${MARKS[nature]} ${timeOf(atMs).padStart(11)}  ${text}`;
      return [line, ...notes.map((note) => `${' '.repeat(22)}${note}`)].join('\n');
    })
    .join('\n');
