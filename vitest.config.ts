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
    // What one file has loaded and compiled serves the next: half of the processor time. Fixtures have no hooks of their own.
    isolate: false,
    // Most take milliseconds; searches and properties take seconds, and many beside suites that come first (test/run-beside.ts).
    testTimeout: isSoak ? 900_000 : 2 * PATIENCE_MS,
    hookTimeout: 2 * PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
  },
};

/**
 * How many control planes run beside each other. Their suites wait more than they work, half a core each; more of them than
 * cores make leases and probes late.
 */
const PLANES = Math.min(4, availableParallelism());

interface ClusterProject {
  readonly name: string;
  readonly include: string[];
  readonly exclude?: string[];
  readonly maxWorkers: number;
  readonly groupOrder: number;
}

/** Leases of two seconds, and hand-overs within five: what else goes on must not make them late. */
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
 * Suites that need a real node, which takes some 20 seconds to start and half of the machine: one at a time. The smoke test
 * is part of `npm test`, after all others; `npm run test:node` runs all.
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
