import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const isSoak = process.env['SOAK'] !== undefined;

/** The time limit of a test, in milliseconds. It ends tests that hang. A busy machine must not reach it. */
const PATIENCE_MS = 300_000;

const unitProject = {
  test: {
    name: 'unit',
    include: ['test/unit/**/*.test.ts', 'test/sim/**/*.test.ts'],
    setupFiles: ['test/properties.ts'],
    // Test files share loaded and compiled modules. This halves the processor time. Fixtures have no hooks of their own.
    isolate: false,
    // Most tests take milliseconds. Searches and properties take seconds, and longer beside the suites of test/run-beside.ts.
    testTimeout: isSoak ? 900_000 : 2 * PATIENCE_MS,
    hookTimeout: 2 * PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
  },
};

/**
 * The number of concurrent control planes. A suite needs about half a core. With more planes than cores, leases and probes are
 * late.
 */
const PLANES = Math.min(4, availableParallelism());

interface ClusterProject {
  readonly name: string;
  readonly include: string[];
  readonly exclude?: string[];
  readonly maxWorkers: number;
  readonly groupOrder: number;
}

/** These suites run alone, because other suites would delay their short leases. */
const ALONE = ['test/cluster/leader-election.test.ts', 'test/cluster/hand-over.test.ts'];

/** Suites that need the real control plane; each file starts its own. */
const clusterProject = ({ name, groupOrder, ...which }: ClusterProject) => ({
  test: {
    name,
    ...which,
    setupFiles: ['test/properties.ts'],
    sequence: { groupOrder },
    testTimeout: 2 * PATIENCE_MS,
    hookTimeout: 2 * PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
  },
});

const clusterProjects = [
  { name: 'cluster', include: ['test/cluster/**/*.test.ts'], exclude: ALONE, maxWorkers: PLANES, groupOrder: 1 },
  { name: 'cluster-alone', include: ALONE, maxWorkers: 1, groupOrder: 2 },
].map(clusterProject);

/**
 * Suites that need a real node. A node starts in about 20 seconds and uses half of the machine, so one suite runs at a time. The
 * smoke test is part of `npm test`, after all others; `npm run test:node` runs all.
 */
const nodeProjects = [
  { name: 'cluster-node', include: ['test/real-node/suites/smoke.test.ts'], maxWorkers: 1, groupOrder: 3 },
  { name: 'node', include: ['test/real-node/**/*.test.ts'], maxWorkers: 1, groupOrder: 4 },
].map(clusterProject);

/** Builds the documentation site and looks at it in Chromium: `npm run docs:test`, no part of `npm test`. */
const siteProject = {
  test: { name: 'site', include: ['test/site/**/*.test.ts'], testTimeout: PATIENCE_MS, hookTimeout: PATIENCE_MS },
};

export default defineConfig({
  test: {
    projects: [
      unitProject,
      { test: { name: 'architecture', include: ['test/architecture/**/*.test.ts'], testTimeout: PATIENCE_MS } },
      ...(process.env['CLUSTER_TESTS'] === 'skip' ? [] : [...clusterProjects, ...nodeProjects, siteProject]),
    ],
    reporters: ['default', './test/suite-times-reporter.ts', './test/summary-reporter.ts'],
  },
});
