import { mapItems, mapMember, numberIn, textIn, withDefaults, withMember } from '#lib/apiserver/machinery/members.ts';
import type { JsonObject } from '#lib/json.ts';
import { containerDefaults, fieldRefDefaults, hostPorts, requestsFromLimits } from './container-defaults.ts';

const fileMode = 0o644;

const downwardDefaults = (source: JsonObject): JsonObject => mapItems(source, 'items', fieldRefDefaults);

const projectionDefaults = (projection: JsonObject): JsonObject =>
  mapMember(mapMember(projection, 'downwardAPI', downwardDefaults), 'serviceAccountToken', (token) =>
    withDefaults(token, { expirationSeconds: 3600 }),
  );

const modeDefault = (source: JsonObject): JsonObject => withDefaults(source, { defaultMode: fileMode });

const volumeSourceDefaults: Readonly<Record<string, (source: JsonObject) => JsonObject>> = {
  configMap: modeDefault,
  secret: modeDefault,
  downwardAPI: (source) => downwardDefaults(modeDefault(source)),
  projected: (source) => mapItems(modeDefault(source), 'sources', projectionDefaults),
  hostPath: (source) => withDefaults(source, { type: '' }),
};

const volumeDefaults = (volume: JsonObject): JsonObject => {
  const sources = Object.keys(volume).filter((member) => member !== 'name');
  if (sources.length === 0) return { ...volume, emptyDir: {} };
  return sources.reduce((result, source) => {
    const defaults = volumeSourceDefaults[source];
    return defaults === undefined ? result : mapMember(result, source, defaults);
  }, volume);
};

/** The name of the service account: `serviceAccountName`, or else the older field `serviceAccount`. */
const serviceAccount = (spec: JsonObject): string | undefined =>
  textIn(spec, 'serviceAccountName') || textIn(spec, 'serviceAccount') || undefined;

/**
 * Fills in the defaults of a pod's spec, in pods and in templates.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/v1/defaults.go (`SetDefaults_PodSpec`), conversion.go
 */
export const podSpecDefaults = (spec: JsonObject): JsonObject => {
  const name = serviceAccount(spec);
  let result = withMember(withMember(spec, 'serviceAccountName', name), 'serviceAccount', name);
  result = withDefaults(result, {
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    securityContext: {},
    terminationGracePeriodSeconds: 30,
    schedulerName: 'default-scheduler',
  });
  result = mapItems(result, 'volumes', volumeDefaults);
  result = mapItems(result, 'initContainers', containerDefaults);
  return mapItems(result, 'containers', containerDefaults);
};

const inContainers = (spec: JsonObject, change: (container: JsonObject) => JsonObject): JsonObject =>
  mapItems(mapItems(spec, 'containers', change), 'initContainers', change);

/** Fills in defaults that only pods have, before {@link podSpecDefaults}. */
const onlyPodDefaults = (spec: JsonObject): JsonObject => {
  let result = inContainers(spec, requestsFromLimits);
  result = withDefaults(result, { enableServiceLinks: true });
  if (result['hostNetwork'] === true) result = inContainers(result, hostPorts);
  return numberIn(result, 'terminationGracePeriodSeconds') < 0
    ? { ...result, terminationGracePeriodSeconds: 1 }
    : result;
};

/**
 * Fills in the defaults of a pod.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/v1/defaults.go (`SetDefaults_Pod`)
 */
export const podDefaults = <T extends JsonObject>(pod: T): T =>
  mapMember(pod, 'spec', (spec) => podSpecDefaults(onlyPodDefaults(spec))) as T;
