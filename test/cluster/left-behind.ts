import type { ControlPlane } from '#test/control-plane/control-plane.ts';

interface ApiResource {
  readonly name: string;
  readonly verbs: readonly string[];
}

interface Listed {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: object;
    readonly annotations?: object;
    readonly ownerReferences?: object;
    readonly finalizers?: object;
  };
}

/** Every group and version that the server prefers, as paths. */
const apiPaths = async (plane: ControlPlane): Promise<string[]> => {
  type Groups = { groups: { preferredVersion: { groupVersion: string } }[] };
  const { groups } = (await plane.request<Groups>('GET', '/apis')).body;
  return ['/api/v1', ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)];
};

const listAt = async (plane: ControlPlane, path: string): Promise<string[]> => {
  const { resources = [] } = (await plane.request<{ resources?: ApiResource[] }>('GET', path)).body;
  const lists = resources
    .filter(({ verbs }) => verbs.includes('list'))
    .map(async ({ name }) => {
      const { items = [] } = (await plane.request<{ items?: Listed[] }>('GET', `${path}/${name}`)).body;
      return items.map(({ metadata }) => {
        const { namespace, labels, annotations, ownerReferences, finalizers } = metadata;
        return `${path}/${name} ${JSON.stringify([namespace, metadata.name, labels, annotations, ownerReferences, finalizers])}`;
      });
    });
  return (await Promise.all(lists)).flat();
};

/**
 * Finds every object of a cluster, of any kind, whose name, namespace, labels, annotations, owners or finalizers match.
 *
 * @param words - the pattern
 */
export const objectsThatSay = async (plane: ControlPlane, words: RegExp): Promise<string[]> => {
  const all = await Promise.all((await apiPaths(plane)).map(async (path) => listAt(plane, path)));
  return all.flat().filter((line) => words.test(line.slice(line.indexOf(' '))));
};
