import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { providePrograms } from '#test/conformance/program.ts';
import { compareWith, readResults } from '#test/conformance/results.ts';
import { runTests } from '#test/conformance/run.ts';
import { makeScratch, removeScratch } from '#test/control-plane/scratch.ts';

const isSoak = process.env['SOAK'] !== undefined;

/** The tests spend most of their time waiting. */
const LANES = 3;
const TWO_HOURS_MS = 7_200_000;

describe.runIf(isSoak)("Kubernetes' own tests against the embedded cluster", () => {
  it(
    'pass where they passed when their results were saved; npm run conformance',
    async () => {
      const programs = await providePrograms();
      const committed = readResults();
      const folder = await makeScratch(tmpdir(), 'cdk8s-reconcile-conformance');
      try {
        const outcomes = await runTests(committed.passed, { programs, folder, lanes: LANES });
        expect(compareWith(committed, outcomes).regressions).toEqual([]);
        expect(outcomes.filter(({ state }) => state === 'passed')).toHaveLength(committed.passed.length);
      } finally {
        await removeScratch(folder);
      }
    },
    TWO_HOURS_MS,
  );
});
