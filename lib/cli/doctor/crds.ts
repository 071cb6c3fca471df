import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ApiError } from '#lib/errors.ts';
import type { ApiObject } from '#lib/kube/api.ts';
import type { Cluster } from '../context.ts';
import { compiled, tryInstalled } from '../crd/definitions.ts';
import { verdictOf } from '../crd/difference.ts';
import { conditionOf } from '../objects/readiness.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

const ofKind = async (cluster: Cluster, kind: AnyKindDefinition): Promise<Finding> => {
  const after = compiled(kind);
  const { name } = after.metadata;
  const before = await tryInstalled(cluster.api, name);
  const { verdict } = verdictOf(before, after);
  const established = before && conditionOf(before as unknown as ApiObject, 'Established');
  if (before !== undefined && established?.status !== 'True')
    return failed(
      'crd',
      `${name} is not established${established ? `: ${established.message}` : ''}`,
      'correct the definition; see kubectl describe crd',
    );
  switch (verdict) {
    case 'same':
      return ok('crd', `${name} is what the kind compiles to`);
    case 'new':
      return failed(
        'crd',
        `${name} is not installed`,
        'install the operator: npm run synth, kubectl apply --server-side -f synth-out/operator.k8s.yaml',
      );
    case 'compatible':
      return warning(
        'crd',
        `${name} is not what the kind compiles to`,
        'see cdk8s-reconcile crd diff, then install it anew',
      );
    case 'breaking':
      return failed(
        'crd',
        `${name} is not what the kind compiles to, and the change breaks users`,
        'see cdk8s-reconcile crd diff',
      );
  }
};

/** Whether the definitions are installed, and those that the kinds compile to. */
export const crdFindings = async (
  cluster: Cluster,
  kinds: readonly AnyKindDefinition[],
): Promise<readonly Finding[]> => {
  try {
    return await Promise.all(kinds.map(async (kind) => ofKind(cluster, kind)));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [warning('crd', error.message, 'ask for the right to read CustomResourceDefinitions')];
  }
};
