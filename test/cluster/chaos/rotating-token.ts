import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { OPERATOR } from '#test/control-plane/install.ts';

/** A kubeconfig whose token is in a file of its own, as a kubelet mounts it into a pod. */
export interface RotatingToken {
  readonly kubeconfig: string;
  /** Creates a new token of the current ServiceAccount, and replaces the old one. */
  readonly rotate: () => Promise<void>;
}

interface Kubeconfig {
  readonly users: { user: { token?: string; tokenFile?: string } }[];
}

const mint = async (plane: ControlPlane): Promise<Kubeconfig> =>
  JSON.parse(await readFile(await plane.serviceAccountKubeconfig(OPERATOR, OPERATOR), 'utf8')) as Kubeconfig;

/** Creates the first token of the installed operator. */
export const rotatingToken = async (plane: ControlPlane): Promise<RotatingToken> => {
  const tokenFile = join(plane.access.folder, 'operator.token');
  const kubeconfig = join(plane.access.folder, 'operator-rotating.kubeconfig');
  const rotate = async (): Promise<void> => {
    const { users } = await mint(plane);
    await writeFile(tokenFile, users[0]?.user.token ?? '', { mode: 0o600 });
  };
  await rotate();
  const content = await mint(plane);
  for (const entry of content.users) entry.user = { tokenFile };
  await writeFile(kubeconfig, JSON.stringify(content), { mode: 0o600 });
  return { kubeconfig, rotate };
};
