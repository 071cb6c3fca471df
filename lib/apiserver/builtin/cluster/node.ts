import {
  duplicate,
  type FieldError,
  invalidValue,
  memberPath,
  notSupported,
  required,
} from '#lib/apiserver/machinery/field-error.ts';
import { entriesIn, listIn, mapMember, objectIn, textIn, withDefaults } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { isDns1123Subdomain, isLabelValue, isQualifiedName } from '#lib/apiserver/machinery/validation/content.ts';
import { checkText, type FieldErrors, fine, forItems } from '#lib/apiserver/machinery/validation/field.ts';
import type { JsonObject } from '#lib/json.ts';
import type { BuiltinKind } from '../strategy.ts';
import { checkQuantity } from '../validation/field.ts';
import { checkMetadata, checkMetadataUpdate } from '../validation/object-meta.ts';
import { isCountedResource } from '../validation/resource-names.ts';
import { checkResourceName } from '../validation/resources-validation.ts';
import { internal } from '../validation/shown-values.ts';

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

const checkEffect = (path: string, effect: string): FieldErrors => {
  if (effect === '') return [required(path)];
  return effects.includes(effect) ? fine : [notSupported(path, effect, effects)];
};

const pairOf = (taint: JsonObject): string => `${textIn(taint, 'effect')} ${textIn(taint, 'key')}`;

const again = (path: string, taint: JsonObject): FieldError => {
  const shown = JSON.stringify(internal(taint, ['Key', 'Value', 'Effect', 'TimeAdded']));
  return { ...duplicate(path, ''), message: `Duplicate value: ${shown}: taints must be unique by key and effect pair` };
};

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`validateNodeTaints`) */
const checkTaints = (taints: readonly JsonObject[]): FieldErrors => {
  const pairs = new Set<string>();
  return forItems('metadata.taints', taints, (taint, at) => {
    const isAgain = pairs.has(pairOf(taint));
    pairs.add(pairOf(taint));
    const value = textIn(taint, 'value');
    const valueErrors = isLabelValue(value);
    return [
      ...checkText(memberPath(at, 'key'), textIn(taint, 'key'), isQualifiedName),
      ...(valueErrors.length === 0 ? [] : [invalidValue(memberPath(at, 'value'), value, valueErrors.join(';'))]),
      ...checkEffect(memberPath(at, 'effect'), textIn(taint, 'effect')),
      ...(isAgain ? [again(at, taint)] : []),
    ];
  });
};

const checkSpec = (node: ServerObject): FieldErrors => checkTaints(listIn(objectIn(node, 'spec'), 'taints'));

/**
 * Validates the capacity and the allocatable resources of a node.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidateNodeResources`)
 */
const checkAmounts = (node: ServerObject): FieldErrors =>
  ['capacity', 'allocatable'].flatMap((member) =>
    entriesIn(objectIn(node, 'status'), member).flatMap(([name, amount]) => {
      const at = `status.${member}.${name}`;
      return [...checkResourceName(at, name), ...checkQuantity(at, amount, isCountedResource(name))];
    }),
  );

const checkAddresses = (node: ServerObject): FieldErrors => {
  const seen = new Set<string>();
  return forItems('status.addresses', listIn(objectIn(node, 'status'), 'addresses'), (address, at) => {
    const pair = `${textIn(address, 'type')} ${textIn(address, 'address')}`;
    if (!seen.has(pair)) {
      seen.add(pair);
      return fine;
    }
    return [duplicate(at, internal(address, ['Type', 'Address']))];
  });
};

const checkUpdate = (node: ServerObject, old: ServerObject): FieldErrors => [
  ...checkMetadataUpdate(node, old),
  ...checkAmounts(node),
  ...checkAddresses(node),
  ...checkSpec(node),
];

/**
 * The built-in kind Node. The server refuses some fields that kubelets report, such as `status.images`, with code 501. Admission
 * adds no taint to new nodes.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/core/node/strategy.go: a node may be created with its status
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidateNode`, `ValidateNodeUpdate`)
 */
export const nodeKind: BuiltinKind = {
  group: '',
  kind: 'Node',
  plural: 'nodes',
  scope: 'Cluster',
  hasStatus: true,
  strategy: {
    setDefaults: (node) =>
      mapMember(node, 'status', (status) => withDefaults(status, { allocatable: status['capacity'] })) as ServerObject,
    check: (node) => [
      ...checkMetadata(node, { check: isDns1123Subdomain, isNamespaced: false }),
      ...checkSpec(node),
      ...checkAmounts(node),
    ],
    checkUpdate,
    checkStatusUpdate: checkUpdate,
    selectableFields: ['spec.unschedulable'],
    selectableValue: (node, field) =>
      field === 'spec.unschedulable' ? String(objectIn(node, 'spec')['unschedulable'] === true) : undefined,
  },
};
