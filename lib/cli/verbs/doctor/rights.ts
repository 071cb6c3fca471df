import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import {
  clusterEventRules,
  EVENTS_OF_CLUSTER,
  elsewhereRules,
  namespacesElsewhere,
  policyRules,
} from '#lib/desired/rights/policy-rules.ts';
import { groupOf } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import type { ApiResource } from '#lib/kube/interface/api.ts';
import { at } from '../../objects/json.ts';
import type { Cluster } from '../../shell/context.ts';
import { type DoctorFinding, failedCheck, ok, warning } from './finding.ts';
import type { InstalledOperator } from './operator.ts';

interface Right {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly verb: string;
  /** The namespace of the right; undefined for all namespaces, and for cluster-scoped resources. */
  readonly namespace: string | undefined;
}

const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

const AT_ONCE = 8;

const rightsOf = (kinds: readonly AnyKindDefinition[], operator: InstalledOperator): readonly Right[] => {
  const { hasEffects, hasEvents, namespaces } = operator;
  const inNamespaces = policyRules(kinds, { hasEffects, hasEvents, scope: 'Namespaced' });
  const anywhere = policyRules(kinds, { hasEffects, hasEvents, scope: 'Cluster' });
  const expand = (rules: typeof anywhere, namespace: string | undefined): readonly Right[] =>
    rules.flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((name) => {
          const [resource = '', subresource = ''] = name.split('/');
          return verbs.map((verb) => ({ group, resource, subresource, verb, namespace }));
        }),
      ),
    );
  const places = namespaces ?? [undefined];
  return [
    ...places.flatMap((namespace) => expand(inNamespaces, namespace)),
    ...namespacesElsewhere(kinds).flatMap((namespace) => expand(elsewhereRules(kinds, namespace), namespace)),
    ...expand(anywhere, undefined),
    ...expand(clusterEventRules(kinds, { namespaces, hasEvents }), EVENTS_OF_CLUSTER),
  ];
};

const inWords = ({ verb, resource, subresource, group, namespace }: Right): string => {
  const what = `${resource}${subresource === '' ? '' : `/${subresource}`}${group === '' ? '' : `.${group}`}`;
  return `${verb} ${what}${namespace === undefined ? '' : ` in ${namespace}`}`;
};

/** The operator to check, and the cluster. */
export interface RightsQuestion {
  readonly cluster: Cluster;
  readonly operator: InstalledOperator;
}

/** Whether the operator has a right; undefined when the review fails. */
const isAllowed = async ({ cluster, operator }: RightsQuestion, right: Right): Promise<boolean | undefined> => {
  const { namespace, serviceAccount } = operator;
  const { namespace: where, ...attributes } = right;
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  const spec = {
    user: `system:serviceaccount:${namespace}:${serviceAccount}`,
    groups,
    resourceAttributes: { ...attributes, ...(where !== undefined && { namespace: where }) },
  };
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
  const answer = await cluster.ask(REVIEWS, body);
  const allowed = at(answer.body, 'status', 'allowed');
  return answer.code < 400 && typeof allowed === 'boolean' ? allowed : undefined;
};

const findingOf = async (asking: RightsQuestion, rights: readonly Right[]): Promise<DoctorFinding> => {
  const { namespace, serviceAccount } = asking.operator;
  const subject = `the service account ${namespace}/${serviceAccount}`;
  const missing: Right[] = [];
  for (let next = 0; next < rights.length; next += AT_ONCE) {
    const batch = rights.slice(next, next + AT_ONCE);
    const answers = await Promise.all(batch.map(async (right) => isAllowed(asking, right)));
    if (answers.includes(undefined))
      return warning(
        'rights',
        `the API server does not answer which rights ${subject} has`,
        'run doctor as a user with the right to create subjectaccessreviews',
      );
    missing.push(...batch.filter((_, at) => answers[at] === false));
  }
  if (missing.length === 0) return ok('rights', `${subject} may do all that the kinds need (${rights.length} rights)`);
  const words = missing.slice(0, 5).map(inWords).join(', ');
  const rest = missing.length > 5 ? `, and ${missing.length - 5} more` : '';
  return failedCheck(
    'rights',
    `${subject} may not ${words}${rest}`,
    'install the bundle of this version: npm run synth, kubectl apply --server-side -f synth-out/operator.k8s.yaml',
  );
};

/** Whether an operator may watch at least one of the kinds; also true when a review fails. */
export const runsThem = async (asking: RightsQuestion, kinds: readonly ApiResource[]): Promise<boolean> => {
  const namespace = asking.operator.namespaces?.[0];
  const answers = await Promise.all(
    kinds.map(async ({ apiVersion, plural, scope }) => {
      const where = scope === 'Namespaced' ? namespace : undefined;
      return isAllowed(asking, {
        group: groupOf(apiVersion),
        resource: plural,
        subresource: '',
        verb: 'watch',
        namespace: where,
      });
    }),
  );
  return answers.some((allowed) => allowed !== false);
};

/**
 * Checks the rights of operators. Among several operators, an operator without the right to watch any of the kinds runs other
 * kinds, and is skipped.
 *
 * @param cluster - the cluster
 * @param operators - the installed operators
 * @param kinds - the kinds of the project
 */
export const rightsFindings = async (
  cluster: Cluster,
  operators: readonly InstalledOperator[],
  kinds: readonly AnyKindDefinition[],
): Promise<readonly DoctorFinding[]> => {
  const findings = await Promise.all(
    operators.map(async (operator) => {
      const asking = { cluster, operator };
      if (operators.length > 1 && !(await runsThem(asking, kinds.map(refOf)))) return [];
      return [await findingOf(asking, rightsOf(kinds, operator))];
    }),
  );
  return findings.flat();
};
