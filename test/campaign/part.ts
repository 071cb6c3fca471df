/** A part of the campaign: a long suite that can stop and go on. */
export interface CampaignPart {
  readonly name: string;
  /** What a run without failures shows, as a row of docs/campaign.md. */
  readonly shows: string;
  /** Paths of its test files; names of folders run all files in them. */
  readonly files: readonly string[];
  /** Words for vitest besides the files, such as `--testNamePattern`. @default none */
  readonly words?: readonly string[];
  /** The cases of the whole part, and how many of them one run of vitest tries. Absent for a part that runs its files once. */
  readonly cases?: { readonly all: number; readonly atOnce: number; readonly unit: string };
  /** Variables of its test files. @default none */
  readonly env?: Readonly<Record<string, string>>;
}

/** The result of a part. It is committed as `results/<name>.json`. */
export interface PartResult {
  readonly part: string;
  /** The commit of the tested code. */
  readonly commit: string;
  /** The day of the last run. */
  readonly date: string;
  readonly versions: { readonly node: string; readonly kubernetes: string };
  /** Cases that were tried, or 1 for a part without cases when it ended. */
  readonly done: number;
  /** Tests that passed, summed over the runs of vitest. */
  readonly passed: number;
  /** Failed tests, with the cases of their run. */
  readonly failed: readonly string[];
  /** Minutes of all runs. */
  readonly minutes: number;
}
