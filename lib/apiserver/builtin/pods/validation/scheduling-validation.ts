import {
  duplicate,
  forbiddenField,
  invalidValue,
  keyPath,
  memberPath,
  notSupported,
  required,
} from '#lib/apiserver/machinery/field-error.ts';
import { listIn, numberIn, optionalIn, textIn, textsIn, withMember } from '#lib/apiserver/machinery/members.ts';
import {
  isDns1123LabelText,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
} from '#lib/apiserver/machinery/validation/content.ts';
import { checkText, type FieldErrors, fine, forItems } from '#lib/apiserver/machinery/validation/field.ts';
import { equalJson, type JsonObject } from '#lib/json.ts';
import { checkKnown } from '../../validation/field.ts';
import { checkLabelSelector } from '../../validation/label-selector.ts';

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

const checkOperator = (path: string, toleration: JsonObject): FieldErrors => {
  const [operator, value] = [textIn(toleration, 'operator'), textIn(toleration, 'value')];
  const at = memberPath(path, 'operator');
  if (operator === '' || operator === 'Equal') {
    const errors = isLabelValue(value);
    return errors.length === 0 ? fine : [invalidValue(at, value, errors.join(';'))];
  }
  if (operator === 'Exists') {
    return value === '' ? fine : [invalidValue(at, value, "value must be empty when `operator` is 'Exists'")];
  }
  const known = operator === 'Lt' || operator === 'Gt' ? ['Equal', 'Exists', 'Lt', 'Gt'] : ['Equal', 'Exists'];
  return [notSupported(at, operator, known)];
};

/**
 * Validates tolerations. Refuses the operators Lt and Gt, because their feature gate is disabled.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidateTolerations`)
 */
export const checkTolerations = (path: string, tolerations: readonly JsonObject[]): FieldErrors =>
  forItems(path, tolerations, (toleration, at) => {
    const [key, operator, effect] = ['key', 'operator', 'effect'].map((name) => textIn(toleration, name));
    const everything = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    const onlyNoExecute = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    const isTimed = toleration['tolerationSeconds'] !== undefined;
    return [
      ...(key === undefined || key === '' ? [] : checkText(memberPath(at, 'key'), key, isQualifiedName)),
      ...(key === '' && operator !== 'Exists' ? [invalidValue(memberPath(at, 'operator'), operator, everything)] : []),
      ...(isTimed && effect !== 'NoExecute' ? [invalidValue(memberPath(at, 'effect'), effect, onlyNoExecute)] : []),
      ...checkOperator(at, toleration),
      ...(effect === undefined || effect === '' || effects.includes(effect)
        ? []
        : [notSupported(memberPath(at, 'effect'), effect, effects)]),
    ];
  });

const withoutSeconds = (toleration: JsonObject): JsonObject => withMember(toleration, 'tolerationSeconds', undefined);

/** Checks changed tolerations. Tolerations may be added; in an existing toleration, only the seconds may change. */
export const checkAddedTolerations = (
  path: string,
  tolerations: readonly JsonObject[],
  old: readonly JsonObject[],
): FieldErrors => {
  const kept = tolerations.map(withoutSeconds);
  const isKept = old.every((toleration) => kept.some((other) => equalJson(other, withoutSeconds(toleration))));
  return isKept
    ? checkTolerations(path, tolerations)
    : [forbiddenField(path, 'existing toleration can not be modified except its tolerationSeconds')];
};

const checkNodeValues = (path: string, requirement: JsonObject): FieldErrors => {
  const [operator, values] = [textIn(requirement, 'operator'), textsIn(requirement, 'values')];
  const at = memberPath(path, 'values');
  if (operator === 'In' || operator === 'NotIn') {
    return values.length > 0 ? fine : [required(at, "must be specified when `operator` is 'In' or 'NotIn'")];
  }
  if (operator === 'Exists' || operator === 'DoesNotExist') {
    const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    return values.length === 0 ? fine : [forbiddenField(at, detail)];
  }
  if (operator === 'Gt' || operator === 'Lt') {
    const detail = "must be specified single value when `operator` is 'Lt' or 'Gt'";
    return values.length === 1 ? fine : [required(at, detail)];
  }
  return [invalidValue(memberPath(path, 'operator'), operator, 'not a valid selector operator')];
};

const checkNodeField = (path: string, requirement: JsonObject): FieldErrors => {
  const [operator, key, values] = [
    textIn(requirement, 'operator'),
    textIn(requirement, 'key'),
    textsIn(requirement, 'values'),
  ];
  const single = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
  const isIn = operator === 'In' || operator === 'NotIn';
  return [
    ...(isIn ? [] : [invalidValue(memberPath(path, 'operator'), operator, 'not a valid selector operator')]),
    ...(isIn && values.length !== 1 ? [required(memberPath(path, 'values'), single)] : []),
    ...(key === 'metadata.name'
      ? forItems(memberPath(path, 'values'), values, (value, at) => checkText(at, value, isDns1123Subdomain))
      : [invalidValue(memberPath(path, 'key'), key, 'not a valid field selector key')]),
  ];
};

const checkNodeTerm = (path: string, term: JsonObject | undefined, areValuesChecked: boolean): FieldErrors => [
  ...forItems(memberPath(path, 'matchExpressions'), listIn(term, 'matchExpressions'), (requirement, at) => [
    ...checkNodeValues(at, requirement),
    ...checkText(memberPath(at, 'key'), textIn(requirement, 'key'), isQualifiedName),
    ...(areValuesChecked
      ? forItems(memberPath(at, 'values'), textsIn(requirement, 'values'), (value, valuePath) =>
          checkText(valuePath, value, isLabelValue),
        )
      : []),
  ]),
  ...forItems(memberPath(path, 'matchFields'), listIn(term, 'matchFields'), (requirement, at) =>
    checkNodeField(at, requirement),
  ),
];

const requiredMember = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferredMember = 'preferredDuringSchedulingIgnoredDuringExecution';

const checkWeight = (path: string, term: JsonObject): FieldErrors => {
  const weight = numberIn(term, 'weight');
  return weight > 0 && weight <= 100
    ? fine
    : [invalidValue(memberPath(path, 'weight'), weight, 'must be in the range 1-100')];
};

/** Checks a selector of nodes, which needs at least one term. */
export const checkNodeSelector = (path: string, selector: JsonObject): FieldErrors => {
  const termsPath = memberPath(path, 'nodeSelectorTerms');
  const terms = listIn(selector, 'nodeSelectorTerms');
  return terms.length === 0
    ? [required(termsPath, 'must have at least one node selector term')]
    : forItems(termsPath, terms, (term, at) => checkNodeTerm(at, term, true));
};

const checkNodeAffinity = (path: string, affinity: JsonObject | undefined): FieldErrors => {
  const selector = optionalIn(affinity, requiredMember);
  return [
    ...(selector === undefined ? fine : checkNodeSelector(memberPath(path, requiredMember), selector)),
    ...forItems(memberPath(path, preferredMember), listIn(affinity, preferredMember), (term, at) => [
      ...checkWeight(at, term),
      ...checkNodeTerm(memberPath(at, 'preference'), optionalIn(term, 'preference'), false),
    ]),
  ];
};

const checkPodTerm = (path: string, term: JsonObject | undefined): FieldErrors => {
  const topologyKey = textIn(term, 'topologyKey');
  return [
    ...checkLabelSelector(memberPath(path, 'labelSelector'), optionalIn(term, 'labelSelector')),
    ...checkLabelSelector(memberPath(path, 'namespaceSelector'), optionalIn(term, 'namespaceSelector')),
    ...textsIn(term, 'namespaces').flatMap((name) =>
      checkText(memberPath(path, 'namespace'), name, isDns1123LabelText),
    ),
    ...(topologyKey === '' ? [required(memberPath(path, 'topologyKey'), 'can not be empty')] : []),
    ...checkText(memberPath(path, 'topologyKey'), topologyKey, isQualifiedName),
  ];
};

const checkPodAffinity = (path: string, affinity: JsonObject | undefined): FieldErrors => [
  ...forItems(memberPath(path, requiredMember), listIn(affinity, requiredMember), (term, at) => checkPodTerm(at, term)),
  ...forItems(memberPath(path, preferredMember), listIn(affinity, preferredMember), (term, at) => [
    ...checkWeight(at, term),
    ...checkPodTerm(memberPath(at, 'podAffinityTerm'), optionalIn(term, 'podAffinityTerm')),
  ]),
];

/** Validates affinity to nodes and pods. */
export const checkAffinity = (path: string, affinity: JsonObject | undefined): FieldErrors =>
  affinity === undefined
    ? fine
    : [
        ...checkNodeAffinity(memberPath(path, 'nodeAffinity'), optionalIn(affinity, 'nodeAffinity')),
        ...checkPodAffinity(memberPath(path, 'podAffinity'), optionalIn(affinity, 'podAffinity')),
        ...checkPodAffinity(memberPath(path, 'podAntiAffinity'), optionalIn(affinity, 'podAntiAffinity')),
      ];

const actions = ['DoNotSchedule', 'ScheduleAnyway'];
const inclusions = ['Honor', 'Ignore'];

const checkMinDomains = (path: string, constraint: JsonObject): FieldErrors => {
  const minDomains = constraint['minDomains'];
  if (typeof minDomains !== 'number') return fine;
  const action = textIn(constraint, 'whenUnsatisfiable');
  const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
  return [
    ...(minDomains > 0 ? [] : [invalidValue(path, minDomains, 'must be greater than zero')]),
    ...(action === 'DoNotSchedule' ? [] : [invalidValue(path, minDomains, detail)]),
  ];
};

/** Validates topology spread constraints. */
export const checkSpread = (path: string, constraints: readonly JsonObject[]): FieldErrors =>
  constraints.flatMap((constraint, i) => {
    const at = keyPath(path, i);
    const [key, action] = [textIn(constraint, 'topologyKey'), textIn(constraint, 'whenUnsatisfiable')];
    const maxSkew = numberIn(constraint, 'maxSkew');
    const isRepeated = constraints
      .slice(i + 1)
      .some((other) => textIn(other, 'topologyKey') === key && textIn(other, 'whenUnsatisfiable') === action);
    return [
      ...(maxSkew > 0 ? [] : [invalidValue(memberPath(at, 'maxSkew'), maxSkew, 'must be greater than zero')]),
      ...(key === '' ? [required(memberPath(at, 'topologyKey'), 'can not be empty')] : []),
      ...(actions.includes(action) ? [] : [notSupported(memberPath(at, 'whenUnsatisfiable'), action, actions)]),
      ...(isRepeated ? [duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${key}, ${action}}`)] : []),
      ...checkMinDomains(memberPath(at, 'minDomains'), constraint),
      ...checkKnown(memberPath(at, 'nodeAffinityPolicy'), constraint['nodeAffinityPolicy'], inclusions),
      ...checkKnown(memberPath(at, 'nodeTaintsPolicy'), constraint['nodeTaintsPolicy'], inclusions),
      ...checkLabelSelector(memberPath(at, 'labelSelector'), optionalIn(constraint, 'labelSelector')),
    ];
  });
