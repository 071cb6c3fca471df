import type { StepNature, WorldStep } from './step.ts';

/** The record of one step. */
export interface TraceEntry extends Pick<WorldStep, 'fault' | 'write'> {
  /** Number of the step, beginning with 1. */
  readonly step: number;
  /** Milliseconds since the start. */
  readonly atMs: number;
  readonly nature: StepNature;
  readonly label: string;
  /** The result of the step in a few words, such as the code of a response. */
  readonly outcome: string;
  /** The log lines of the operators during the step. */
  readonly notes: readonly string[];
}

/** The record of a run, step by step. */
export class Trace {
  readonly #entries: TraceEntry[] = [];
  #notes: string[] = [];

  get entries(): readonly TraceEntry[] {
    return this.#entries;
  }

  /** The number of the current step, or of the next step if none is running. */
  get step(): number {
    return this.#entries.length + 1;
  }

  note(text: string): void {
    this.#notes.push(text);
  }

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

/** A request and its response as one line, if the response is the next step. Otherwise, returns `undefined`. */
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
 * request with an immediate response is one line. An advance of time has a line only if the operators logged something; the next
 * line shows the new time. Log lines follow the line of their step.
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
