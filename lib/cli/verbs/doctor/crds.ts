import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { definedKinds } from '#lib/desired/extension/parents.ts';
import { ApiError } from '#lib/errors.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { textAt } from '../../objects/json.ts';
import { seenConditionOf } from '../../objects/readiness.ts';
import { compiled, tryInstalled } from '../../project/definitions.ts';
import { verdictOf } from '../../project/difference.ts';
import type { Cluster } from '../../shell/context.ts';
import { type DoctorFinding, failedCheck, ok, warning } from './finding.ts';

const INSTALL = 'npm run synth, kubectl apply --server-side -f synth-out/operator.k8s.yaml';

const ofKind = async (cluster: Cluster, kind: AnyKindDefinition): Promise<DoctorFinding> => {
  const after = compiled(kind);
  const { name } = after.metadata;
  const before = await tryInstalled(cluster.api, name);
  // A new apply cannot stop the deletion of a CRD. The CRD is removed after its last resource.
  if (before !== undefined && textAt(before, 'metadata', 'deletionTimestamp') !== undefined)
    return failedCheck(
      'crd',
      `${name} is being deleted with all its resources; it is removed after the last of them`,
      `see the findings about deletions, and kubectl get ${name} -A; to use the kind again, install the operator after that: ${INSTALL}`,
    );
  const { verdict } = verdictOf(before, after);
  const established = before && seenConditionOf(before as unknown as ApiObject, 'Established');
  if (before !== undefined && established?.status !== 'True')
    return failedCheck(
      'crd',
      `${name} is not established${established ? `: ${established.message}` : ''}`,
      'correct the definition; see kubectl describe crd',
    );
  switch (verdict) {
    case 'same':
      return ok('crd', `${name} equals the compiled kind`);
    case 'new':
      return failedCheck('crd', `${name} is not installed`, `install the operator: ${INSTALL}`);
    case 'compatible':
      return warning(
        'crd',
        `${name} differs from the compiled kind`,
        'see cdk8s-reconcile crd diff, then install it again',
      );
    case 'breaking':
      return failedCheck(
        'crd',
        `${name} differs from the compiled kind, and the change breaks users`,
        'see cdk8s-reconcile crd diff',
      );
  }
};

/** Checks that the CRDs are installed and up to date. */
export const crdFindings = async (
  cluster: Cluster,
  kinds: readonly AnyKindDefinition[],
): Promise<readonly DoctorFinding[]> => {
  try {
    return await Promise.all(definedKinds(kinds).map(async (kind) => ofKind(cluster, kind)));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [warning('crd', error.message, 'ask for the right to read CustomResourceDefinitions')];
  }
};
