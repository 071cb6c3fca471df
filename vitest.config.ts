import { defineConfig } from 'vitest/config';

const isSoak = process.env['SOAK'] !== undefined;

const unitProject = {
  test: {
    name: 'unit',
    include: ['test/unit/**/*.test.ts', 'test/sim/**/*.test.ts'],
    setupFiles: ['test/properties.ts'],
    // Most take milliseconds; searches and properties take seconds, and many on a machine that has much else to do.
    testTimeout: isSoak ? 900_000 : 120_000,
  },
};

/** Suites that need the real control plane; each file starts its own, one after the other. */
const clusterProject = {
  test: {
    name: 'cluster',
    include: ['test/cluster/**/*.test.ts'],
    setupFiles: ['test/properties.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 180_000,
  },
};

export default defineConfig({
  test: {
    projects: [
      unitProject,
      { test: { name: 'architecture', include: ['test/architecture/**/*.test.ts'], testTimeout: 60_000 } },
      ...(process.env['CLUSTER_TESTS'] === 'skip' ? [] : [clusterProject]),
    ],
    reporters: ['default', './test/summary-reporter.ts'],
  },
});
