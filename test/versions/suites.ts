/** A test file, and what it shows on a version. */
export interface VersionSuite {
  /** The row in docs/compatibility.md. */
  readonly shows: string;
  readonly file: string;
}

const inCluster = (name: string, shows: string): VersionSuite => ({ shows, file: `test/cluster/${name}.test.ts` });

/** What depends on the API server; run on each version of Kubernetes. */
export const kubernetesSuites: readonly VersionSuite[] = [
  inCluster('fresh-install', 'the install bundle on a new API server, and a sample of every kind'),
  inCluster('bundle', 'the bundled operator with the mounted credentials of its own ServiceAccount'),
  inCluster('podset', 'PodSet: the classic manifest, `kubectl scale`, lost and failed pods'),
  inCluster('immortal-container', 'ImmortalContainer: the classic manifest, failures of its pod'),
  inCluster('deployer', 'Deployer: the classic manifest, step by step'),
  inCluster('canary-rollout', 'CanaryRollout: the classic manifest, steps, commands'),
  inCluster('own-kind', 'a kind of an author'),
  inCluster('requests', 'the number of requests (G1 to G5), watch-lists, lists'),
  inCluster('apply', 'children that change, by server-side apply'),
  inCluster('rights', 'granted rights are used rights (R8)'),
  inCluster('kube-client', 'reads, writes, watches, lists in pages'),
  inCluster('crd-rules', 'definitions with their CEL rules, and values that they refuse'),
  inCluster('hardening', 'the bundle field by field, and the Pod Security level restricted'),
  inCluster('versions', 'versions of a kind: conversion webhook, migration'),
];

/** What depends on Node.js; run on each version of it. */
export const nodeSuites: readonly VersionSuite[] = [
  {
    shows: 'the package: installation, import, synth, the tests of projects from `init`, `dev`, bundle',
    file: 'test/unit/package/package.test.ts',
  },
  inCluster('bundle', 'the bundled operator with the mounted credentials of its own ServiceAccount'),
  inCluster('packed', 'a cdk8s project with the package: its bundle on a cluster, and its operator'),
];
