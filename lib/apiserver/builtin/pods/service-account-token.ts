import { listIn, mapItems, textIn } from '#lib/apiserver/machinery/members.ts';
import { fnv32a, NAME_LETTERS } from '#lib/apiserver/machinery/text/names.ts';
import type { JsonObject } from '#lib/json.ts';

const prefix = 'kube-api-access-';
const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Returns five letters or digits that depend only on the text. */
const suffixOf = (text: string): string => {
  let [rest, suffix] = [fnv32a(text), ''];
  while (suffix.length < 5) {
    suffix += NAME_LETTERS[rest % NAME_LETTERS.length];
    rest = Math.floor(rest / NAME_LETTERS.length);
  }
  return suffix;
};

/** The source of the volume. All pods share this object, which saves memory and time. */
const projected: JsonObject = {
  sources: [
    { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: {
        items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
      },
    },
  ],
  defaultMode: 0o644,
};

/**
 * Mounts the token of the service account into every container that mounts nothing at the path of the token. A volume with the
 * name prefix `kube-api-access-` is used if the pod has one. The name of a new volume depends on the name of the pod. On the real
 * server, this name is random.
 *
 * @see k8s.io/kubernetes v1.36.4 plugin/pkg/admission/serviceaccount/admission.go (`mountServiceAccountToken`)
 */
export const withTokenMounted = (spec: JsonObject, podName: string): JsonObject => {
  const volumes = listIn(spec, 'volumes');
  const present = volumes.map((volume) => textIn(volume, 'name')).find((name) => name.startsWith(prefix));
  const name = present ?? `${prefix}${suffixOf(podName)}`;
  const mount = (container: JsonObject): JsonObject => {
    const mounts = listIn(container, 'volumeMounts');
    if (mounts.some((other) => textIn(other, 'mountPath') === mountPath)) return container;
    return { ...container, volumeMounts: [...mounts, { name, readOnly: true, mountPath }] };
  };
  const mounted = mapItems(mapItems(spec, 'initContainers', mount), 'containers', mount);
  if (present !== undefined || mounted === spec) return mounted;
  return { ...mounted, volumes: [...volumes, { name, projected }] };
};
