import { listIn, textsIn } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { RequestAttributes, ResourceAttributes } from './user.ts';

/** One rule of a role. */
export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** Returns the rules of a stored Role or ClusterRole. */
export const rulesOfRole = (role: ServerObject): readonly Rule[] =>
  listIn(role, 'rules').map((rule) => ({
    verbs: textsIn(rule, 'verbs'),
    ...(Array.isArray(rule['apiGroups']) && { apiGroups: textsIn(rule, 'apiGroups') }),
    ...(Array.isArray(rule['resources']) && { resources: textsIn(rule, 'resources') }),
    ...(Array.isArray(rule['resourceNames']) && { resourceNames: textsIn(rule, 'resourceNames') }),
    ...(Array.isArray(rule['nonResourceURLs']) && { nonResourceURLs: textsIn(rule, 'nonResourceURLs') }),
  }));

const hasOrAll = (list: readonly string[] | undefined, wanted: string): boolean =>
  list?.some((each) => each === '*' || each === wanted) === true;

const hasResource = ({ resources = [] }: Rule, { resource, subresource = '' }: ResourceAttributes): boolean => {
  const wanted = subresource === '' ? resource : `${resource}/${subresource}`;
  const anyWithIt = subresource === '' ? undefined : `*/${subresource}`;
  return resources.some((each) => each === '*' || each === wanted || each === anyWithIt);
};

const hasName = ({ resourceNames = [] }: Rule, { name = '' }: ResourceAttributes): boolean =>
  resourceNames.length === 0 || resourceNames.includes(name);

const hasPath = ({ nonResourceURLs = [] }: Rule, path: string): boolean =>
  nonResourceURLs.some(
    (each) => each === '*' || each === path || (each.endsWith('*') && path.startsWith(each.slice(0, -1))),
  );

/**
 * Whether a rule permits a request.
 *
 * @see k8s.io/kubernetes v1.36.4 plugin/pkg/auth/authorizer/rbac/rbac.go (`RuleAllows`), pkg/apis/rbac/v1/evaluation_helpers.go
 */
export const ruleAllows = (rule: Rule, wanted: RequestAttributes): boolean => {
  if (!hasOrAll(rule.verbs, wanted.verb)) return false;
  if ('path' in wanted) return hasPath(rule, wanted.path);
  return hasOrAll(rule.apiGroups, wanted.group) && hasResource(rule, wanted) && hasName(rule, wanted);
};
