import { parseArgs } from 'node:util';

/** Options of the command line. */
export interface Options {
  /** Prints one JSON document instead of the table. */
  readonly json: boolean;
  /** Ids of the measures to take, in upper case; empty means all. */
  readonly only: readonly string[];
  readonly podSets: number;
  /** The larger of the two sizes in P3, P4 and P5. */
  readonly large: number;
  /** Deletions in P2. */
  readonly deletions: number;
  /** Writes the figures of this run into last.json. */
  readonly save: boolean;
  /** Number of repetitions of floor, operator, operator, floor in P1 and P1c. */
  readonly rounds: number;
  /** Length of the window at rest, in seconds. */
  readonly windowSeconds: number;
  /** Folder for a CPU profile of every operator that is started. Profiles slow the operators down. */
  readonly cpuProfile?: string;
}

/** Printed with `--help` and after an invalid command line. */
export const usage = `npm run bench -- [--json] [--only P1,G2] [--pod-sets 1000] [--large 10000] [--deletions 200] [--window 60] [--rounds 1] [--save] [--cpu-prof <folder>]
  --json       one JSON document on standard output
  --only       ids of measures, separated by commas: P1 (with P1s, P5 and P6b) P1c layers (CPU of the operator in P1 by layer) P2 P3 (with P4 and P5) P5b (live heap) P7 P8 P9 P11 (age of the status) P12 (refused creates) S (simulations) F (plan and check) doors (imports of the package) V (the virtual cluster) G1 G2 (with P6) G3 G4 G5 start E (the embedded cluster) curve (memory of --large PodSets over time; only when named)
  --pod-sets   how many PodSets of 3 pods P1, P1c, P3, G2 and G3 work on
  --large      the larger size of P3, P4 and P5
  --deletions  how many pods are deleted in P2
  --window     seconds of each of the two windows at rest for G2
  --save       writes the figures into last.json, with which the next runs are compared; with curve, docs/pictures/memory.svg
  --rounds     rounds of floor, operator, operator, floor in P1 and P1c; more on a busy machine
  --cpu-prof   writes a CPU profile per operator into the folder; times are not comparable then`;

const count = (name: string, text: string): number => {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1) return value;
  throw new TypeError(`--${name} is "${text}": expected a whole number of at least 1`);
};

/**
 * Reads the command line.
 *
 * @returns `undefined` for `--help`
 * @throws {TypeError} for unknown or invalid options
 */
export const readOptions = (args: readonly string[]): Options | undefined => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      'pod-sets': { type: 'string', default: '1000' },
      large: { type: 'string', default: '10000' },
      deletions: { type: 'string', default: '200' },
      save: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '1' },
      window: { type: 'string', default: '60' },
      'cpu-prof': { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;
  const ids = values.only.split(',').map((id) => id.trim().toUpperCase());
  return {
    json: values.json,
    only: ids.filter(Boolean),
    podSets: count('pod-sets', values['pod-sets']),
    large: count('large', values.large),
    deletions: count('deletions', values.deletions),
    save: values.save,
    rounds: count('rounds', values.rounds),
    windowSeconds: count('window', values.window),
    ...(values['cpu-prof'] === undefined ? {} : { cpuProfile: values['cpu-prof'] }),
  };
};
