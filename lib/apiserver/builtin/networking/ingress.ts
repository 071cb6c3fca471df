import { invalidValue, memberPath, notSupported, required } from '#lib/apiserver/machinery/field-error.ts';
import { withGeneration } from '#lib/apiserver/machinery/generation.ts';
import { listIn, numberIn, objectIn, optionalIn, textIn, textsIn } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { AdmissionRequest, ServerView } from '#lib/apiserver/machinery/served-kind.ts';
import { byText } from '#lib/apiserver/machinery/text/order.ts';
import {
  isDns1123LabelText,
  isDns1123Subdomain,
  isWildcardDns1123Subdomain,
  type StringCheck,
} from '#lib/apiserver/machinery/validation/content.ts';
import { checkText, type FieldErrors, fine, forItems } from '#lib/apiserver/machinery/validation/field.ts';
import type { JsonObject } from '#lib/json.ts';
import { type BuiltinKind, prepareSpecUpdate } from '../strategy.ts';
import { checkPort } from '../validation/field.ts';
import { checkIp, isSloppyIp } from '../validation/ip.ts';
import { isPortName } from '../validation/names.ts';
import { checkMetadata, checkMetadataUpdate } from '../validation/object-meta.ts';
import { checkObjectReference } from './object-reference.ts';

const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
const DEFAULT_CLASS_ANNOTATION = 'ingressclass.kubernetes.io/is-default-class';
const NOT_AN_ADDRESS = 'must be a DNS name, not an IP address';

const isHost: StringCheck = (host) =>
  host.includes('*') ? isWildcardDns1123Subdomain(host) : isDns1123Subdomain(host);

const checkServiceBackend = (path: string, service: JsonObject): FieldErrors => {
  const [name, port] = [textIn(service, 'name'), objectIn(service, 'port')];
  const [portName, number] = [textIn(port, 'name'), numberIn(port, 'number')];
  const portPath = `${path}.service.port`;
  const checkPorts = (): FieldErrors => {
    if (portName !== '' && number !== 0) return [invalidValue(path, '', 'cannot set both port name & port number')];
    if (portName !== '') return checkPort(`${portPath}.name`, portName, isPortName);
    return number === 0
      ? [required(path, 'port name or number is required')]
      : checkPort(`${portPath}.number`, number, isPortName);
  };
  return [
    ...(name === '' ? [required(`${path}.service.name`)] : checkText(`${path}.service.name`, name, isDns1123LabelText)),
    ...checkPorts(),
  ];
};

const checkBackend = (path: string, backend: JsonObject): FieldErrors => {
  const [resource, service] = [optionalIn(backend, 'resource'), optionalIn(backend, 'service')];
  if (resource !== undefined && service !== undefined) {
    return [invalidValue(path, '', 'cannot set both resource and service backends')];
  }
  if (resource !== undefined) return checkObjectReference(`${path}.resource`, resource);
  return service === undefined
    ? [invalidValue(path, '', 'resource or service backend is required')]
    : checkServiceBackend(path, service);
};

const checkAbsolute = (at: string, path: string): FieldErrors =>
  path.startsWith('/') ? fine : [invalidValue(at, path, 'must be an absolute path')];

const checkMatchedPath = (at: string, path: string): FieldErrors => [
  ...checkAbsolute(at, path),
  ...['//', '/./', '/../', '%2f', '%2F']
    .filter((sequence) => path.includes(sequence))
    .map((sequence) => invalidValue(at, path, `must not contain '${sequence}'`)),
  ...['/..', '/.']
    .filter((suffix) => path.endsWith(suffix))
    .map((suffix) => invalidValue(at, path, `cannot end with '${suffix}'`)),
];

const checkTypedPath = (at: string, type: string, path: string): FieldErrors => {
  if (type === 'Exact' || type === 'Prefix') return checkMatchedPath(`${at}.path`, path);
  if (type === 'ImplementationSpecific') return path === '' ? fine : checkAbsolute(`${at}.path`, path);
  return [notSupported(`${at}.pathType`, type, ['Exact', 'ImplementationSpecific', 'Prefix'])];
};

const checkHttpPath = (http: JsonObject, at: string): FieldErrors => {
  const type = http['pathType'];
  if (typeof type !== 'string') return [required(`${at}.pathType`, 'pathType must be specified')];
  return [
    ...checkTypedPath(at, type, textIn(http, 'path')),
    ...checkBackend(`${at}.backend`, objectIn(http, 'backend')),
  ];
};

const checkRule = (rule: JsonObject, at: string): FieldErrors => {
  const [host, http] = [textIn(rule, 'host'), optionalIn(rule, 'http')];
  const paths = listIn(http, 'paths');
  return [
    ...(isSloppyIp(host) ? [invalidValue(`${at}.host`, host, NOT_AN_ADDRESS)] : fine),
    ...(host === '' ? fine : checkText(`${at}.host`, host, isHost)),
    ...(http !== undefined && paths.length === 0 ? [required(`${at}.http.paths`)] : fine),
    ...forItems(`${at}.http.paths`, paths, checkHttpPath),
  ];
};

const checkTls = (tls: JsonObject, at: string): FieldErrors => {
  const secretName = textIn(tls, 'secretName');
  return [
    ...forItems(`${at}.hosts`, textsIn(tls, 'hosts'), (host, path) => checkText(path, host, isHost)),
    ...(secretName === '' ? fine : checkText(`${at}.secretName`, secretName, isDns1123Subdomain)),
  ];
};

const checkSpec = (spec: JsonObject): FieldErrors => {
  const [rules, backend, className] = [
    listIn(spec, 'rules'),
    optionalIn(spec, 'defaultBackend'),
    spec['ingressClassName'],
  ];
  return [
    ...(rules.length === 0 && backend === undefined
      ? [invalidValue('spec', null, 'either `defaultBackend` or `rules` must be specified')]
      : fine),
    ...(backend === undefined ? fine : checkBackend('spec.defaultBackend', backend)),
    ...forItems('spec.rules', rules, checkRule),
    ...forItems('spec.tls', listIn(spec, 'tls'), checkTls),
    ...(typeof className === 'string' ? checkText('spec.ingressClassName', className, isDns1123Subdomain) : fine),
  ];
};

const checkAnnotatedClass = ({ metadata, ...ingress }: ServerObject): FieldErrors => {
  const [annotated, className] = [
    metadata.annotations?.[CLASS_ANNOTATION],
    objectIn(ingress, 'spec')['ingressClassName'],
  ];
  return annotated === undefined || className === undefined || annotated === className
    ? fine
    : [
        invalidValue(
          memberPath('annotations', CLASS_ANNOTATION),
          annotated,
          'must match `ingressClassName` when both are specified',
        ),
      ];
};

const pointsOf = (ingress: ServerObject): readonly JsonObject[] =>
  listIn(objectIn(objectIn(ingress, 'status'), 'loadBalancer'), 'ingress');

const checkStatusUpdate = (ingress: ServerObject, old: ServerObject): FieldErrors => {
  const accepted = pointsOf(old).map((point) => textIn(point, 'ip'));
  return [
    ...checkMetadataUpdate(ingress, old),
    ...forItems('status.loadBalancer.ingress', pointsOf(ingress), (point, at) => {
      const [ip, host] = [textIn(point, 'ip'), textIn(point, 'hostname')];
      return [
        ...(ip === '' ? fine : checkIp(`${at}.ip`, ip, accepted)),
        ...(host === '' ? fine : checkText(`${at}.hostname`, host, isDns1123Subdomain)),
        ...(isSloppyIp(host) ? [invalidValue(`${at}.hostname`, host, NOT_AN_ADDRESS)] : fine),
      ];
    }),
  ];
};

const created = ({ metadata }: ServerObject): string => metadata.creationTimestamp ?? '';

/**
 * Sets the newest default class in a new Ingress without a class.
 *
 * @see k8s.io/kubernetes v1.36.4 plugin/pkg/admission/network/defaultingressclass/admission.go
 */
const withDefaultClass = ({ operation, subresource, object }: AdmissionRequest, view: ServerView): ServerObject => {
  const spec = objectIn(object, 'spec');
  const hasClass =
    spec['ingressClassName'] !== undefined || object.metadata.annotations?.[CLASS_ANNOTATION] !== undefined;
  if (operation !== 'create' || subresource !== '' || hasClass) return object;
  const [newest] = view
    .objects({ group: 'networking.k8s.io', plural: 'ingressclasses' })
    .filter(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS_ANNOTATION] === 'true')
    .toSorted((a, b) => byText(created(b), created(a)) || byText(a.metadata.name ?? '', b.metadata.name ?? ''));
  return newest === undefined ? object : { ...object, spec: { ...spec, ingressClassName: newest.metadata.name } };
};

/**
 * The built-in kind Ingress. No controller acts on Ingresses, as in a cluster without an ingress controller.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/networking/ingress/strategy.go
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/networking/validation/validation.go (`ValidateIngressCreate`)
 */
export const ingressKind: BuiltinKind = {
  group: 'networking.k8s.io',
  kind: 'Ingress',
  plural: 'ingresses',
  hasStatus: true,
  strategy: {
    mutate: withDefaultClass,
    prepareForCreate: (ingress) => ({ ...withGeneration(ingress, 1), status: { loadBalancer: {} } }),
    prepareForUpdate: prepareSpecUpdate,
    check: (ingress) => [
      ...checkMetadata(ingress, { check: isDns1123Subdomain }),
      ...checkSpec(objectIn(ingress, 'spec')),
      ...checkAnnotatedClass(ingress),
    ],
    checkUpdate: (ingress, old) => [
      ...checkMetadataUpdate(ingress, old),
      ...checkMetadata(ingress, { check: isDns1123Subdomain }),
      ...checkSpec(objectIn(ingress, 'spec')),
    ],
    checkStatusUpdate,
  },
};
