/** A test file, and what it shows on a version. */
export interface VersionSuite {
  /** The row in docs/compatibility.md. */
  readonly shows: string;
  readonly file: string;
}

const inCluster = (name: string, shows: string): VersionSuite => ({ shows, file: `test/cluster/${name}.test.ts` });

/** Suites that depend on the API server, run on each version of Kubernetes. */
export const kubernetesSuites: readonly VersionSuite[] = [
  inCluster('fresh-install', 'installs the bundle on a new API server, and creates a sample of each kind'),
  inCluster('bundle', 'the bundled operator with the mounted credentials of its own ServiceAccount'),
  inCluster('podset', 'PodSet: the manifest of the classic example, `kubectl scale`, lost and failed pods'),
  inCluster('immortal-container', 'ImmortalContainer: the manifest of the classic example, failures of its pod'),
  inCluster('deployer', 'Deployer: the manifest of the classic example, each step'),
  inCluster('canary-rollout', 'CanaryRollout: the manifest of the classic example, steps, commands'),
  inCluster('own-kind', 'a kind that is not built-in'),
  inCluster('requests', 'the number of requests of the operator, with watch-lists and with lists'),
  inCluster('apply', 'changes of children by server-side apply'),
  inCluster('rights', 'the operator uses each right that it has'),
  inCluster('kube-client', 'the API client: reads, writes, watches, and lists in pages'),
  inCluster('crd-rules', 'CRDs with CEL rules, and values that the rules refuse'),
  inCluster('hardening', 'each field of the bundle, and the Pod Security level *restricted*'),
  inCluster('versions', 'versions of a kind: the conversion webhook, and the migration of stored objects'),
];

/** Suites that depend on Node.js, run on each of its versions. */
export const nodeSuites: readonly VersionSuite[] = [
  {
    shows: 'the package: installation, import, synth, `dev`, the bundle, and the tests of a project from `init`',
    file: 'test/unit/package/package.test.ts',
  },
  inCluster('bundle', 'the bundled operator with the mounted credentials of its own ServiceAccount'),
  inCluster('packed', 'a cdk8s project that uses the package: its install bundle on a cluster, and its operator'),
];
