import { allArtifacts, provideArtifacts } from '#test/control-plane/binaries.ts';
import { ControlPlaneError } from '#test/control-plane/error.ts';
import { goModuleVersion, kubeModules, VERSION_VARIABLE } from '#test/control-plane/recipe.ts';
import { nodeLines, provideNode } from './node.ts';
import { kubernetesSuites, nodeSuites, type VersionSuite } from './suites.ts';

/** The program that has versions. */
export type Subject = 'kubernetes' | 'node';

/** One version, and how to run the tests on it. */
export interface Target {
  readonly subject: Subject;
  /** Such as `1.33`, or `22.19`. */
  readonly line: string;
  readonly suites: readonly VersionSuite[];
  /** Variables of the tests. */
  readonly env: Readonly<Record<string, string>>;
  /** @returns the exact version, and the Node.js program that runs the tests */
  readonly provide: () => Promise<{ readonly version: string; readonly program: string }>;
}

/** The versions to test. Without any, all versions are tested. */
export interface Choice {
  readonly kubernetes?: readonly string[] | undefined;
  readonly node?: readonly string[] | undefined;
}

const toKubernetes = (line: string): Target => ({
  subject: 'kubernetes',
  line,
  suites: kubernetesSuites,
  env: { [VERSION_VARIABLE]: line },
  provide: async () => {
    const kubeModule = kubeModules().get(line) ?? 'kube';
    // Built before the tests, so that the time of the build is not counted as theirs.
    await provideArtifacts(allArtifacts, { kubeModule });
    return { version: goModuleVersion(kubeModule), program: process.execPath };
  },
});

const toNode = (line: string): Target => ({
  subject: 'node',
  line,
  suites: nodeSuites,
  // The parts of the suites that take longest, and that users see.
  env: { SOAK: '1' },
  provide: async () => provideNode(line),
});

const chosen = (what: string, known: readonly string[], wanted: readonly string[] | undefined): readonly string[] => {
  const unknown = (wanted ?? []).find((line) => !known.includes(line));
  if (unknown === undefined) return wanted ?? known;
  throw new ControlPlaneError(
    'UNKNOWN_VERSION',
    `Cannot test ${what} "${unknown}": expected one of ${known.join(', ')}; test/versions/README.md describes how to add one`,
  );
};

/**
 * The versions to run, in the order of the run.
 * @throws {ControlPlaneError} UNKNOWN_VERSION
 */
export const targetsOf = ({ kubernetes, node }: Choice): readonly Target[] => {
  const isAll = kubernetes === undefined && node === undefined;
  const lines = [...kubeModules().keys()];
  return [
    ...(isAll || kubernetes ? chosen('Kubernetes', lines, kubernetes).map(toKubernetes) : []),
    ...(isAll || node ? chosen('Node.js', nodeLines(), node).map(toNode) : []),
  ];
};
