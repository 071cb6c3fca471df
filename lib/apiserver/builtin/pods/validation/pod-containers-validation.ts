import {
  duplicate,
  forbiddenField,
  invalidValue,
  keyPath,
  memberPath,
  notSupported,
  required,
} from '#lib/apiserver/machinery/field-error.ts';
import { listIn, numberIn, optionalIn, textIn, textsIn } from '#lib/apiserver/machinery/members.ts';
import {
  checkNonNegative,
  checkText,
  type FieldErrors,
  fine,
  forItems,
} from '#lib/apiserver/machinery/validation/field.ts';
import type { JsonObject } from '#lib/json.ts';
import { checkKnown, checkPort } from '../../validation/field.ts';
import { isHttpHeaderName, isPortName } from '../../validation/names.ts';
import { checkContainer, type PodFacts } from './container-validation.ts';

const schemes = ['HTTP', 'HTTPS'];

const checkHttpGet = (path: string, action: JsonObject): FieldErrors => {
  const scheme = textIn(action, 'scheme');
  return [
    ...(textIn(action, 'path') === '' ? [required(memberPath(path, 'path'))] : []),
    ...checkPort(memberPath(path, 'port'), action['port'], isPortName),
    ...(schemes.includes(scheme) ? [] : [notSupported(memberPath(path, 'scheme'), scheme, schemes)]),
    ...listIn(action, 'httpHeaders').flatMap((header) =>
      checkText(memberPath(path, 'httpHeaders'), textIn(header, 'name'), isHttpHeaderName),
    ),
  ];
};

const checkSleep = (path: string, action: JsonObject, gracePeriod: number | undefined): FieldErrors => {
  const seconds = numberIn(action, 'seconds');
  if (gracePeriod === undefined || (seconds >= 0 && seconds <= gracePeriod)) return fine;
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`;
  return [invalidValue(path, seconds, detail)];
};

type ActionCheck = (path: string, action: JsonObject, gracePeriod: number | undefined) => FieldErrors;

const actionChecks: Readonly<Record<string, ActionCheck>> = {
  exec: (path, action) => (textsIn(action, 'command').length === 0 ? [required(memberPath(path, 'command'))] : fine),
  httpGet: checkHttpGet,
  tcpSocket: (path, action) => checkPort(memberPath(path, 'port'), action['port'], isPortName),
  grpc: (path, action) => checkPort(memberPath(path, 'port'), action['port'], isPortName),
  sleep: checkSleep,
};

const checkHandler = (path: string, handler: JsonObject, gracePeriod: number | undefined): FieldErrors => {
  const used = Object.keys(actionChecks).filter((name) => optionalIn(handler, name) !== undefined);
  if (used.length === 0) return [required(path, 'must specify a handler type')];
  return used.flatMap((name, i) => {
    const action = optionalIn(handler, name);
    if (i > 0) return [forbiddenField(memberPath(path, name), 'may not specify more than 1 handler type')];
    return action === undefined ? fine : (actionChecks[name]?.(memberPath(path, name), action, gracePeriod) ?? fine);
  });
};

const numbers = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

const checkProbe = (path: string, probe: JsonObject | undefined, gracePeriod: number | undefined): FieldErrors => {
  if (probe === undefined) return fine;
  const period = probe['terminationGracePeriodSeconds'];
  const periodPath = memberPath(path, 'terminationGracePeriodSeconds');
  const isReadiness = path.endsWith('.readinessProbe');
  return [
    ...checkHandler(path, probe, gracePeriod),
    ...numbers.flatMap((name) => checkNonNegative(memberPath(path, name), probe[name])),
    ...(typeof period === 'number' && period <= 0 ? [invalidValue(periodPath, period, 'must be greater than 0')] : []),
    ...(isReadiness && period !== undefined
      ? [invalidValue(periodPath, period, 'must not be set for readinessProbes')]
      : []),
    ...(!isReadiness && probe['successThreshold'] !== 1
      ? [invalidValue(memberPath(path, 'successThreshold'), probe['successThreshold'], 'must be 1')]
      : []),
  ];
};

const checkLifecycle = (path: string, lifecycle: JsonObject | undefined, gracePeriod: number | undefined) =>
  ['postStart', 'preStop'].flatMap((name) => {
    const handler = optionalIn(lifecycle, name);
    return handler === undefined ? fine : checkHandler(memberPath(path, name), handler, gracePeriod);
  });

const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;

const checkRunning = (path: string, container: JsonObject, gracePeriod: number | undefined): FieldErrors => [
  ...checkLifecycle(memberPath(path, 'lifecycle'), optionalIn(container, 'lifecycle'), gracePeriod),
  ...probes.flatMap((name) => checkProbe(memberPath(path, name), optionalIn(container, name), gracePeriod)),
];

/**
 * Returns an error for each host port that occurs earlier in the containers with the same protocol and host IP. Call this
 * function for containers that run together.
 */
const checkHostPorts = (path: string, containers: readonly JsonObject[]): FieldErrors => {
  const seen = new Set<string>();
  return containers.flatMap((container, i) =>
    listIn(container, 'ports').flatMap((port, j) => {
      const hostPort = numberIn(port, 'hostPort');
      if (hostPort === 0) return fine;
      const key = `${textIn(port, 'protocol')}/${textIn(port, 'hostIP')}/${hostPort}`;
      if (seen.has(key)) return [duplicate(`${keyPath(path, i)}.ports[${j}].hostPort`, key)];
      seen.add(key);
      return fine;
    }),
  );
};

const containerPolicies = ['Always', 'Never', 'OnFailure'];

/** Validates the main containers of a pod. */
export const checkContainers = (path: string, containers: readonly JsonObject[], facts: PodFacts): FieldErrors => {
  if (containers.length === 0) return [required(path)];
  const names = new Set<string>();
  return [
    ...forItems(path, containers, (container, at) => {
      const name = textIn(container, 'name');
      const isRepeated = names.has(name);
      names.add(name);
      return [
        ...checkContainer(at, container, facts),
        ...(isRepeated ? [duplicate(memberPath(at, 'name'), name)] : []),
        ...checkRunning(at, container, facts.gracePeriodSeconds),
        ...checkKnown(memberPath(at, 'restartPolicy'), container['restartPolicy'], containerPolicies),
      ];
    }),
    ...checkHostPorts(path, containers),
  ];
};

const onlySidecars = 'may not be set for init containers without restartPolicy=Always';

const checkInitOnly = (path: string, container: JsonObject): FieldErrors =>
  ['lifecycle', ...probes]
    .filter((name) => container[name] !== undefined)
    .map((name) => forbiddenField(memberPath(path, name), onlySidecars));

const checkInitResize = (path: string, container: JsonObject): FieldErrors =>
  forItems(memberPath(path, 'resizePolicy'), listIn(container, 'resizePolicy'), (policy, at) =>
    policy['restartPolicy'] === 'RestartContainer'
      ? [
          invalidValue(
            memberPath(at, 'restartPolicy'),
            'RestartContainer',
            "must not be set to 'RestartContainer' for non-sidecar initContainers",
          ),
        ]
      : fine,
  );

/**
 * Validates init containers, including restartable init containers (`restartPolicy: Always`).
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`validateInitContainers`)
 */
export const checkInitContainers = (
  path: string,
  { containers, others }: { readonly containers: readonly JsonObject[]; readonly others: readonly JsonObject[] },
  facts: PodFacts,
): FieldErrors => {
  const names = new Set(others.map((container) => textIn(container, 'name')));
  return forItems(path, containers, (container, at) => {
    const name = textIn(container, 'name');
    const isRepeated = names.has(name);
    if (name !== '') names.add(name);
    const isSidecar = container['restartPolicy'] === 'Always';
    return [
      ...checkContainer(at, container, facts),
      ...checkKnown(memberPath(at, 'restartPolicy'), container['restartPolicy'], containerPolicies),
      ...(isRepeated ? [duplicate(memberPath(at, 'name'), name)] : []),
      ...checkHostPorts(path, [container]),
      ...(isSidecar ? checkRunning(at, container, facts.gracePeriodSeconds) : checkInitOnly(at, container)),
      ...(isSidecar ? fine : checkInitResize(at, container)),
    ];
  });
};
