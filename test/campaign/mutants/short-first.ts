import type { TestSequencer, TestSpecification, Vitest } from 'vitest/node';

/** Sorts by duration, in milliseconds. Files without a known duration come first. */
export const shortFirst = <F>(files: readonly F[], durationOf: (file: F) => number | undefined): F[] => {
  const durations = new Map(files.map((file) => [file, durationOf(file) ?? 0]));
  return files.toSorted((a, b) => (durations.get(a) ?? 0) - (durations.get(b) ?? 0));
};

/**
 * Runs the test files in the order of the duration of their last run. The run of a mutant ends with the first failure, and most
 * mutants fail many tests, so that few mutants need the long files. By default, vitest runs the long files first.
 */
export class ShortFirst implements TestSequencer {
  readonly #vitest: Pick<Vitest, 'cache'>;

  constructor(vitest: Pick<Vitest, 'cache'>) {
    this.#vitest = vitest;
  }

  shard(files: TestSpecification[]): TestSpecification[] {
    return files;
  }

  sort(files: TestSpecification[]): TestSpecification[] {
    const { cache } = this.#vitest;
    return shortFirst(files, (file) => cache.getTestSpecificationResult(file)?.duration);
  }
}
