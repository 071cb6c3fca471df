import type { Finding } from './findings.ts';

/** A correct finding about the bundle that is intended. */
export interface LintException extends Pick<Finding, 'linter' | 'check' | 'object'> {
  readonly reason: string;
}

const object = 'Deployment/cdk8s-reconcile';
const noCpuLimit =
  'a limit of CPU throttles the leader while it renews its lease, which then goes to the other replica; the request gives it its share';
const pullPolicy =
  'a release names the image by its digest, which cannot change; asking the registry at every start would make restarts depend on it';

/** Every exception, with its reason. The test fails for an exception that no linter needs. */
const LINT_EXCEPTIONS: readonly LintException[] = [
  { linter: 'kube-score', check: 'container-resources', object, reason: noCpuLimit },
  { linter: 'kube-score', check: 'container-cpu-requests-equal-limits', object, reason: noCpuLimit },
  { linter: 'kube-score', check: 'container-resource-requests-equal-limits', object, reason: noCpuLimit },
  {
    linter: 'kube-score',
    check: 'container-memory-requests-equal-limits',
    object,
    reason: 'half of it is what an operator needs whose cache is small; the limit is room for thousands of resources',
  },
  { linter: 'kube-score', check: 'container-image-pull-policy', object, reason: pullPolicy },
  {
    linter: 'kube-score',
    check: 'deployment-has-host-podantiaffinity',
    object,
    reason: 'a topology spread constraint over hosts does the same, and lets a cluster of one node run both replicas',
  },
  { linter: 'checkov', check: 'CKV_K8S_11', object, reason: noCpuLimit },
  { linter: 'checkov', check: 'CKV_K8S_15', object, reason: pullPolicy },
  {
    linter: 'checkov',
    check: 'CKV_K8S_43',
    object,
    reason: 'no image is published: the builder of one writes its digest into apps/synth.ts',
  },
];

const isSame = (one: Pick<Finding, 'linter' | 'check' | 'object'>, other: typeof one): boolean =>
  one.linter === other.linter && one.check === other.check && one.object === other.object;

/**
 * Returns the findings without an exception, and the exceptions without a finding. Empty when the bundle is fine.
 *
 * @param findings - of some linters
 * @param linters - the linters that ran
 */
export const faultsIn = (findings: readonly Finding[], linters: readonly string[]): string[] => [
  ...findings
    .filter((finding) => !LINT_EXCEPTIONS.some((exception) => isSame(exception, finding)))
    .map(({ linter, check, object, text }) => `${linter} ${check} at ${object}: ${text}`),
  ...LINT_EXCEPTIONS.filter(
    (exception) => linters.includes(exception.linter) && !findings.some((finding) => isSame(exception, finding)),
  ).map(({ linter, check, object }) => `the exception of ${linter} ${check} at ${object} is not needed any more`),
];
