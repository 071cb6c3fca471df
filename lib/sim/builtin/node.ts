import type { JsonObject } from '#lib/kind/json.ts';
import {
  childOf,
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  required,
} from '#lib/sim/machinery/field-error.ts';
import { listIn, objectIn, textIn } from '#lib/sim/machinery/members.ts';
import type { ServerObject } from '#lib/sim/machinery/object.ts';
import { isDns1123Subdomain, isLabelValue, isQualifiedName } from '#lib/sim/machinery/validation/content.ts';
import { checkText, type FieldErrors, fine, forItems } from '#lib/sim/machinery/validation/field.ts';
import { checkMetadata, checkMetadataUpdate } from './object-meta.ts';
import { internal } from './shown-values.ts';
import type { BuiltinKind } from './strategy.ts';

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
      ...checkText(childOf(at, 'key'), textIn(taint, 'key'), isQualifiedName),
      ...(valueErrors.length === 0 ? [] : [invalidValue(childOf(at, 'value'), value, valueErrors.join(';'))]),
      ...checkEffect(childOf(at, 'effect'), textIn(taint, 'effect')),
      ...(isAgain ? [again(at, taint)] : []),
    ];
  });
};

const checkSpec = (node: ServerObject): FieldErrors => checkTaints(listIn(objectIn(node, 'spec'), 'taints'));

/**
 * Nodes, as far as people and controllers write them: labels, taints, `unschedulable`. No actor knows of them; what kubelets
 * report is refused by name. Admission adds no taint to new ones.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidateNode`)
 */
export const nodeKind: BuiltinKind = {
  group: '',
  kind: 'Node',
  plural: 'nodes',
  scope: 'Cluster',
  strategy: {
    check: (node) => [...checkMetadata(node, { check: isDns1123Subdomain, isNamespaced: false }), ...checkSpec(node)],
    checkUpdate: (node, old) => [...checkMetadataUpdate(node, old), ...checkSpec(node)],
  },
};
