import type { SoakSegment } from './soak/segment.ts';

/** The cases of a part, which have consecutive numbers. */
export interface CampaignCases {
  readonly all: number;
  /** How many cases one run of vitest tries. */
  readonly atOnce: number;
  /** The cases in words, in the plural, or in the singular for one case. */
  readonly unit: string;
  /** The number of the first case. @default 1 */
  readonly first?: number;
}

/** A part of the campaign: a long suite that can stop and go on. */
export interface CampaignPart {
  readonly name: string;
  /** What a run without failures shows, as a row of docs/campaign.md. */
  readonly shows: string;
  /** Paths of the part's test files. The path of a folder stands for all test files in it. */
  readonly files: readonly string[];
  /** Words for vitest besides the files, such as `--testNamePattern`. @default none */
  readonly words?: readonly string[];
  /** The cases of the part. Absent for a part that runs its files once. */
  readonly cases?: CampaignCases;
  /** Environment variables of the test files. @default none */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether each step reports a segment of the soak. @default false */
  readonly hasSegments?: boolean;
  /**
   * The source files, or lines of source files, whose mutants the tests must find. They are the cases of the part. A function,
   * because a choice of lines reads many files. @default none
   */
  readonly mutants?: () => readonly string[];
  /**
   * The tests for each part of `lib`, such as `lib/kube`. A step runs only the tests for its sources, and the result
   * counts mutants by these parts of `lib`. @default all `files`, and counts by folder
   */
  readonly testsByRoom?: Readonly<Record<string, readonly string[]>>;
  /**
   * Test files in `files` that do not run for mutants, as patterns. A mutant that other tests find does not need them, and a
   * mutant that survives would need most of its time for them. @default none
   */
  readonly withoutTests?: readonly string[];
}

/** The numbers of mutants of one folder, by outcome. */
export interface MutantCounts {
  /** A test failed. */
  readonly killed: number;
  /** Mutants with which the tests did not end: they make an endless loop. */
  readonly timeouts: number;
  /** Mutants with which all tests passed. */
  readonly survived: number;
  /** No test runs the code. */
  readonly uncovered: number;
  /** Mutants of code that runs once, when its file is loaded. They are not tried. */
  readonly ignored: number;
}

/** A mutant that no test finds. */
export interface Survivor {
  /** The place in the commit of the result: `<file>:<line>:<column>`. */
  readonly at: string;
  /** The name that Stryker gives to this type of change, such as `ConditionalExpression`. */
  readonly mutator: string;
  /** The code before and after the change. Line breaks and indentation are single spaces; a long text is cut. */
  readonly code: string;
  readonly changed: string;
  /** The reason why no test is needed; absent if there is none. */
  readonly reason?: string;
}

/** The mutants of a part. */
export interface MutantResult {
  readonly folders: Readonly<Record<string, MutantCounts>>;
  readonly survivors: readonly Survivor[];
}

/** The result of one step of a part. */
export interface StepResult {
  readonly passed: number;
  readonly failed: readonly string[];
  readonly mutants?: MutantResult;
  readonly segments?: readonly SoakSegment[];
}

/** The result of a part, committed as `results/<name>.json`. */
export interface PartResult {
  readonly part: string;
  /** The commit of the tested code. */
  readonly commit: string;
  /** The day of the last run. */
  readonly date: string;
  readonly versions: { readonly node: string; readonly kubernetes: string };
  /** Cases that were tried, or 1 for a part without cases when it ended. */
  readonly done: number;
  /** Tests that passed, summed over the runs of vitest; for mutants, those that were killed. */
  readonly passed: number;
  /** Failed tests, with the cases of their run; for mutants, survivors without a reason. */
  readonly failed: readonly string[];
  /** The mutants of a part with mutants. */
  readonly mutants?: MutantResult;
  /** The segments of the soak. */
  readonly segments?: readonly SoakSegment[];
  /** Minutes of all runs. */
  readonly minutes: number;
}
