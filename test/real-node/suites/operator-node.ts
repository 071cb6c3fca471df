import { readFile } from 'node:fs/promises';
import type { Pod } from 'kubernetes-types/core/v1.js';
import { committedBundle, OPERATOR, OPERATOR_LEASE, OPERATOR_USER } from '#test/control-plane/install.ts';
import { leaseHolder } from '#test/control-plane/lease-holder.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { writeOperatorImage } from '../images/operator-image.ts';
import { type RealNode, startRealNode } from '../node.ts';

/** The name of the image in the committed bundle. */
const IMAGE = /image: (registry\.example\.com\/cdk8s-reconcile\/operator):\S+/;

/** Runs kubectl. @returns its output @throws {Error} with its errors */
export const kubectl = async (node: RealNode, args: readonly string[], input?: object | string): Promise<string> => {
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  const { code, stdout, stderr } = await node.kubectl(args, { ...(input !== undefined && { input: text }) });
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
};

/** Reads an object or a list. */
export const read = async <Result>(node: RealNode, args: readonly string[]): Promise<Result> =>
  JSON.parse(await kubectl(node, ['get', ...args, '--output=json'])) as Result;

/** Creates a namespace that enforces the Pod Security level *restricted*. */
export const restrictedNamespace = (node: RealNode, name: string): Promise<string> =>
  node.createNamespace(name, { 'pod-security.kubernetes.io/enforce': 'restricted' });

/** The pods of the operator that are not in deletion. */
export const operatorPods = async (node: RealNode): Promise<readonly Pod[]> => {
  const { items } = await read<{ readonly items: readonly Pod[] }>(node, ['pods', `--namespace=${OPERATOR}`]);
  return items.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
};

/** The holder of the operator's lease; empty without a holder. */
export const operatorHolder = async (node: RealNode): Promise<string> =>
  (await leaseHolder(node, OPERATOR_LEASE)) ?? '';

/** The pod that leads. */
export const leader = async (node: RealNode): Promise<string> => (await operatorHolder(node)).split('_')[0] ?? '';

/** Waits until both replicas are available and one of them leads. */
export const operatorIsUp = async (node: RealNode): Promise<void> => {
  await kubectl(node, ['rollout', 'status', `deployment/${OPERATOR}`, `--namespace=${OPERATOR}`, '--timeout=180s']);
  await waitFor('a replica to lead', async () => {
    const names = (await operatorPods(node)).map(({ metadata }) => metadata?.name);
    return names.includes(await leader(node));
  });
};

/** Applies the committed bundle with an image of the operator, by its digest. */
export const applyBundle = async (node: RealNode, digest: string, edit = (bundle: string) => bundle): Promise<void> => {
  const bundle = (await readFile(committedBundle, 'utf8')).replace(IMAGE, `image: $1@${digest}`);
  await kubectl(node, ['apply', '--server-side', '--filename=-'], edit(bundle));
};

/** Names of all children that the operator ever created, dry runs aside. A name that stands twice was created twice. */
export const childrenCreated = async (node: RealNode, resource: string, prefix: string): Promise<readonly string[]> =>
  (await node.auditEntries({ user: OPERATOR_USER }))
    .filter((entry) => entry.resource === resource && entry.code === 201 && entry.name.startsWith(prefix))
    .filter(({ requestURI }) => !requestURI.includes('dryRun='))
    .map(({ name }) => name)
    .toSorted();

/** Options for {@link startOperatorNode}. */
export interface OperatorNodeOptions {
  /** Folders of layouts of other images. @default none */
  readonly layouts?: readonly string[];
  /** Changes the bundle. @default it stays as it is */
  readonly edit?: (bundle: string) => string;
}

/** A node on which the operator of this repository is installed: the committed bundle with the digest of its image. */
export const startOperatorNode = async ({ layouts = [], edit }: OperatorNodeOptions = {}): Promise<RealNode> => {
  const { layout, digest } = await writeOperatorImage();
  const node = await startRealNode({ layouts: [...layouts, layout] });
  try {
    await applyBundle(node, digest, edit);
    await operatorIsUp(node);
    return node;
  } catch (error) {
    await node.stop();
    throw error;
  }
};
