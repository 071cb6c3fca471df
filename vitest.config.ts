import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const isSoak = process.env['SOAK'] !== undefined;

/** A bound is there to end what never will end: a machine that has much else to do must not reach it. In milliseconds. */
const PATIENCE_MS = 300_000;

const unitProject = {
  test: {
    name: 'unit',
    include: ['test/unit/**/*.test.ts', 'test/sim/**/*.test.ts'],
    setupFiles: ['test/properties.ts'],
    // Most take milliseconds; searches and properties take seconds, and many on a machine that has much else to do.
    testTimeout: isSoak ? 900_000 : PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
  },
};

/**
 * How many control planes run beside each other. Their suites wait more than they work, half a core each; more of them than
 * cores make leases and probes late.
 */
const PLANES = Math.min(4, availableParallelism());

/** Suites that need the real control plane; each file starts its own. */
const clusterProject = {
  test: {
    name: 'cluster',
    include: ['test/cluster/**/*.test.ts'],
    setupFiles: ['test/properties.ts'],
    maxWorkers: PLANES,
    // After the others, which leave no core idle.
    sequence: { groupOrder: 1 },
    testTimeout: 2 * PATIENCE_MS,
    hookTimeout: 2 * PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
  },
};

export default defineConfig({
  test: {
    projects: [
      unitProject,
      { test: { name: 'architecture', include: ['test/architecture/**/*.test.ts'], testTimeout: PATIENCE_MS } },
      ...(process.env['CLUSTER_TESTS'] === 'skip' ? [] : [clusterProject]),
    ],
    reporters: ['default', './test/suite-times-reporter.ts', './test/summary-reporter.ts'],
  },
});
