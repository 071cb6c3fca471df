import { fileURLToPath } from 'node:url';
import { textAt } from '#lib/cli/objects/json.ts';
import type { TypedObject } from '#lib/cli/objects/live-objects.ts';
import { readManifests } from '#lib/cli/project/manifests.ts';
import type { CliContext } from '#lib/cli/shell/context.ts';
import { applyManifest, discoveryOf } from '#lib/cli/verbs/dev/cluster/apply-manifests.ts';
import type { DevCluster } from '#lib/cli/verbs/dev/cluster/dev-cluster.ts';
import { ConfigurationError } from '#lib/errors.ts';
import { resourcePath } from '#lib/kube/client/path.ts';
import type { DemoScreen } from './screen.ts';

const asKubectl = { fieldManager: 'kubectl' };

const wordOf = ({ kind: { kind } }: TypedObject): string => kind.toLowerCase();

/** The context of the process, and the output of the demo. */
export interface DemoTools {
  readonly context: CliContext;
  readonly screen: DemoScreen;
}

/** Makes functions that print a command of kubectl, and do the work of this command by requests of this process. */
export const kubectlOn = (dev: DevCluster, { context, screen }: DemoTools) => {
  const { api, namespace } = dev.cluster;
  const show = async (words: string): Promise<void> => {
    await screen.beat();
    context.signal.throwIfAborted();
    screen.command(`kubectl ${namespace === 'default' ? '' : `-n ${namespace} `}${words}`);
  };
  return {
    apply: async (path: string): Promise<void> => {
      await show(`apply --server-side -f ${path}`);
      const target = { ...dev, discovery: discoveryOf(dev.cluster), ...asKubectl };
      const file = fileURLToPath(new URL(`../../${path}`, import.meta.url));
      for (const manifest of await readManifests([file], context)) await applyManifest(target, manifest);
    },
    scale: async (object: TypedObject, replicas: number): Promise<void> => {
      await show(`scale ${wordOf(object)}/${object.name} --replicas=${replicas}`);
      const path = `${resourcePath(object.kind, { namespace, name: object.name })}/scale`;
      const { code, body } = await dev.cluster.ask(path, { spec: { replicas } }, { method: 'PATCH' });
      if (code >= 400) throw new ConfigurationError(`Cannot scale ${object.name}: ${code} ${textAt(body, 'message')}`);
    },
    patch: async (object: TypedObject, change: object): Promise<void> => {
      const type = Array.isArray(change) ? 'json' : 'merge';
      await show(`patch ${wordOf(object)} ${object.name} --type=${type} -p '${JSON.stringify(change)}'`);
      await api.patch(object.kind, { namespace, name: object.name }, change, { ...asKubectl, type });
    },
    delete: async (object: TypedObject): Promise<void> => {
      await show(`delete ${wordOf(object)} ${object.name} --wait=false`);
      const target = { namespace, name: object.name };
      const { metadata } = await api.get(object.kind, target);
      await api.delete(object.kind, target, { uid: metadata.uid });
    },
  };
};
