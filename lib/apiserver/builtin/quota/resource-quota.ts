import { invalidValue, keyPath, required } from '#lib/apiserver/machinery/field-error.ts';
import {
  entriesIn,
  listIn,
  mapMember,
  objectIn,
  textIn,
  textsIn,
  withMember,
} from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { isDns1123Subdomain } from '#lib/apiserver/machinery/validation/content.ts';
import { type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';
import type { JsonObject } from '#lib/json.ts';
import { withRoundedAmounts } from '../pods/container-defaults.ts';
import type { BuiltinKind } from '../strategy.ts';
import { checkQuantity } from '../validation/field.ts';
import { checkMetadata, checkMetadataUpdate } from '../validation/object-meta.ts';
import { isCountedResource, isStandardQuotaResource } from '../validation/resource-names.ts';
import { checkResourceName } from '../validation/resources-validation.ts';

const checkAmounts = (path: string, holder: JsonObject, name: 'hard' | 'used'): FieldErrors =>
  entriesIn(holder, name).flatMap(([resource, amount]) => {
    const at = keyPath(`${path}.${name}`, resource);
    const isKnown = resource.includes('/') || isStandardQuotaResource(resource);
    return [
      ...checkResourceName(at, resource),
      ...(isKnown ? [] : [invalidValue(at, resource, 'must be a standard resource for quota')]),
      ...checkQuantity(at, amount, isCountedResource(resource)),
    ];
  });

const podScopes = new Set([
  'Terminating',
  'NotTerminating',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
]);
const scopes = new Set([...podScopes, 'BestEffort', 'VolumeAttributesClass']);
const podResources = new Set(['cpu', 'limits.cpu', 'limits.memory', 'memory', 'requests.cpu', 'requests.memory']);

const isScopeFor = (scope: string, resource: string): boolean => {
  if (scope === 'BestEffort') return resource === 'pods';
  if (scope === 'VolumeAttributesClass') return ['persistentvolumeclaims', 'requests.storage'].includes(resource);
  return !podScopes.has(scope) || resource === 'pods' || podResources.has(resource);
};

const conflicts = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;

interface ScopeCheck {
  readonly path: string;
  readonly shown: unknown;
  readonly spec: JsonObject;
}

const checkScope = (scope: string, { path, shown, spec }: ScopeCheck): FieldErrors =>
  Object.keys(objectIn(spec, 'hard'))
    .filter((resource) => isStandardQuotaResource(resource) && !isScopeFor(scope, resource))
    .map(() => invalidValue(path, shown, 'unsupported scope applied to resource'));

const checkConflicts = (names: readonly string[], { path, spec }: Omit<ScopeCheck, 'shown'>): FieldErrors =>
  conflicts
    .filter((pair) => pair.every((name) => names.includes(name)))
    .map(() => invalidValue(path, spec['scopes'] ?? null, 'conflicting scopes'));

const checkScopes = (spec: JsonObject): FieldErrors => {
  const [path, names] = ['spec.scopes', textsIn(spec, 'scopes')];
  return [
    ...names.flatMap((name) => [
      ...(scopes.has(name) ? [] : [invalidValue(path, names, 'unsupported scope')]),
      ...checkScope(name, { path, shown: names, spec }),
    ]),
    ...checkConflicts(names, { path, spec }),
  ];
};

const onlyExists =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

const checkValues = (path: string, requirement: JsonObject): FieldErrors => {
  const [operator, values] = [textIn(requirement, 'operator'), textsIn(requirement, 'values')];
  if (operator === 'In' || operator === 'NotIn') {
    const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    return values.length > 0 ? fine : [required(`${path}.values`, detail)];
  }
  if (operator === 'Exists' || operator === 'DoesNotExist') {
    const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
    return values.length === 0 ? fine : [invalidValue(`${path}.values`, values, detail)];
  }
  return [invalidValue(`${path}.operator`, operator, 'not a valid selector operator')];
};

const checkSelector = (spec: JsonObject): FieldErrors => {
  const path = 'spec.scopeSelector.matchExpressions';
  const selector = objectIn(spec, 'scopeSelector');
  const requirements = listIn(selector, 'matchExpressions');
  const names = requirements.map((requirement) => textIn(requirement, 'scopeName'));
  return [
    ...requirements.flatMap((requirement) => {
      const [name, operator] = [textIn(requirement, 'scopeName'), textIn(requirement, 'operator')];
      const needsExists = scopes.has(name) && !['PriorityClass', 'VolumeAttributesClass'].includes(name);
      return [
        ...(scopes.has(name) ? [] : [invalidValue(`${path}.scopeName`, name, 'unsupported scope')]),
        ...checkScope(name, { path, shown: selector, spec }),
        ...(needsExists && operator !== 'Exists' ? [invalidValue(`${path}.operator`, operator, onlyExists)] : []),
        ...checkValues(path, requirement),
      ];
    }),
    ...checkConflicts(names, { path, spec }),
  ];
};

const checkSpec = (spec: JsonObject): FieldErrors => [
  ...checkAmounts('spec', spec, 'hard'),
  ...checkScopes(spec),
  ...checkSelector(spec),
];

const checkStatus = (quota: ServerObject): FieldErrors => {
  const status = objectIn(quota, 'status');
  return [...checkAmounts('status', status, 'hard'), ...checkAmounts('status', status, 'used')];
};

const checkSameScopes = (quota: ServerObject, old: ServerObject): FieldErrors => {
  const [now, before] = [quota, old].map((object) => textsIn(objectIn(object, 'spec'), 'scopes'));
  const isSame = new Set(now).symmetricDifference(new Set(before)).size === 0;
  return isSame ? fine : [invalidValue('spec.scopes', now?.length === 0 ? null : now, 'field is immutable')];
};

/**
 * The built-in kind ResourceQuota.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidateResourceQuota`)
 */
export const resourceQuotaKind: BuiltinKind = {
  group: '',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  hasStatus: true,
  strategy: {
    returnsDeletedObject: true,
    setDefaults: (quota) => {
      const rounded = mapMember(quota, 'spec', (spec) => withRoundedAmounts(spec, 'hard'));
      return mapMember(rounded, 'status', (status) =>
        withRoundedAmounts(withRoundedAmounts(status, 'hard'), 'used'),
      ) as ServerObject;
    },
    prepareForCreate: (quota) => withMember(quota, 'status', {}) as ServerObject,
    check: (quota) => [
      ...checkMetadata(quota, { check: isDns1123Subdomain }),
      ...checkSpec(objectIn(quota, 'spec')),
      ...checkStatus(quota),
    ],
    checkUpdate: (quota, old) => [
      ...checkMetadataUpdate(quota, old),
      ...checkSpec(objectIn(quota, 'spec')),
      ...checkSameScopes(quota, old),
    ],
    checkStatusUpdate: (quota, old) => [...checkMetadataUpdate(quota, old), ...checkStatus(quota)],
  },
};
