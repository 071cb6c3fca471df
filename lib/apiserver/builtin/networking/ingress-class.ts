import { forbiddenField, notSupported, required, tooLong } from '#lib/apiserver/machinery/field-error.ts';
import { withGeneration } from '#lib/apiserver/machinery/generation.ts';
import { mapMember, objectIn, optionalIn, textIn, withMember } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { isDns1123LabelText, isDns1123Subdomain } from '#lib/apiserver/machinery/validation/content.ts';
import { checkText, type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';
import type { JsonObject } from '#lib/json.ts';
import { type BuiltinKind, prepareSpecUpdate } from '../strategy.ts';
import { checkDomainPrefixedPath } from '../validation/domain-prefixed-path.ts';
import { checkImmutable, checkMetadata, checkMetadataUpdate } from '../validation/object-meta.ts';
import { checkObjectReference } from './object-reference.ts';

const MAX_CONTROLLER_LENGTH = 250;

const checkScope = (path: string, { scope, namespace }: JsonObject): FieldErrors => {
  const at = `${path}.namespace`;
  if (scope === undefined) return [required(`${path}.scope`)];
  if (scope === 'Cluster') {
    return namespace === undefined ? fine : [forbiddenField(at, "`parameters.scope` is set to 'Cluster'")];
  }
  if (scope !== 'Namespace') return [notSupported(`${path}.scope`, scope, ['Cluster', 'Namespace'])];
  return typeof namespace === 'string'
    ? checkText(at, namespace, isDns1123LabelText)
    : [required(at, "`parameters.scope` is set to 'Namespace'")];
};

const checkSpec = (spec: JsonObject): FieldErrors => {
  const [controller, parameters] = [textIn(spec, 'controller'), optionalIn(spec, 'parameters')];
  return [
    ...(controller.length > MAX_CONTROLLER_LENGTH ? [tooLong('spec.controller', MAX_CONTROLLER_LENGTH)] : fine),
    ...checkDomainPrefixedPath('spec.controller', controller),
    ...(parameters === undefined
      ? fine
      : [...checkObjectReference('spec.parameters', parameters), ...checkScope('spec.parameters', parameters)]),
  ];
};

const check = (ingressClass: ServerObject): FieldErrors => [
  ...checkMetadata(ingressClass, { check: isDns1123Subdomain, isNamespaced: false }),
  ...checkSpec(objectIn(ingressClass, 'spec')),
];

/**
 * The built-in kind IngressClass. A new Ingress without a class gets the newest class with the annotation
 * `ingressclass.kubernetes.io/is-default-class: "true"`.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/networking/ingressclass/strategy.go
 */
export const ingressClassKind: BuiltinKind = {
  group: 'networking.k8s.io',
  kind: 'IngressClass',
  plural: 'ingressclasses',
  scope: 'Cluster',
  strategy: {
    setDefaults: (ingressClass) =>
      mapMember(ingressClass, 'spec', (spec) =>
        mapMember(spec, 'parameters', (parameters) =>
          withMember(parameters, 'scope', parameters['scope'] ?? 'Cluster'),
        ),
      ) as ServerObject,
    prepareForCreate: (ingressClass) => withGeneration(ingressClass, 1),
    prepareForUpdate: prepareSpecUpdate,
    check,
    checkUpdate: (ingressClass, old) => [
      ...checkMetadataUpdate(ingressClass, old),
      ...checkImmutable(
        'spec.controller',
        objectIn(ingressClass, 'spec')['controller'],
        objectIn(old, 'spec')['controller'],
      ),
      ...check(ingressClass),
    ],
  },
};
