import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { initProject } from '#lib/cli/verbs/init/run.ts';
import { ARGO_CD_USER, type ArgoCd, startArgoCd } from '#test/company/gitops/argo-cd.ts';
import { kubectl } from '#test/company/gitops/flux.ts';
import { type GitServer, serveGit } from '#test/company/gitops/git-server.ts';
import { type OperatorPods, runOperatorPods } from '#test/company/gitops/operator-pods.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { OPERATOR, OPERATOR_USER } from '#test/control-plane/install.ts';
import { APPLICATION, readApplication, sayApplication } from './application.ts';
import { bundleOf } from './bundle.ts';
import type { ReleaseName } from './kinds.ts';

/**
 * The environment of a test: a control plane, Argo CD, the repository that it follows, and the processes of the
 * operator's pods.
 */
export interface Scene {
  readonly plane: ControlPlane;
  readonly argo: ArgoCd;
  readonly git: GitServer;
  readonly pods: OperatorPods;
  /** The folder that `init --gitops argocd` has written. */
  readonly project: string;
}

const ROOM = { 'ephemeral-storage': '100Gi' };

/** Adds ephemeral storage to the fake node, which the operator's pods request. */
const giveRoom = async (plane: ControlPlane): Promise<void> => {
  const [node = ''] = (await kubectl(plane, ['get', 'nodes', '-o', 'name'])).split('\n');
  const patch = JSON.stringify({ status: { capacity: ROOM, allocatable: ROOM } });
  await kubectl(plane, ['patch', node, '--subresource=status', '--type=merge', '-p', patch]);
};

const entryPoint = fileURLToPath(new URL('operator.ts', import.meta.url));

/** Runs a test; its failure includes the log of Argo CD. */
export const inScene = async (story: (scene: Scene) => Promise<string>): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'company-argocd-'));
  try {
    await using plane = await startControlPlane({ users: [ARGO_CD_USER] });
    await giveRoom(plane);
    await using git = await serveGit(folder);
    await using argo = await startArgoCd(plane, folder);
    await using pods = await runOperatorPods(plane, { namespace: OPERATOR, entryPoint });
    const project = join(folder, 'project');
    await initProject({ folder: project, name: APPLICATION, kind: 'Sample', group: 'a.acme.io', gitops: 'argocd' });
    try {
      return await story({ plane, git, argo, pods, project });
    } catch (cause) {
      const application = sayApplication(await readApplication(plane));
      throw new Error(`${String(cause)}\n${application}\n${argo.log()}`, { cause });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Commits the operator of a release, and resources as text. @returns the name of the commit */
export const pushRelease = async ({ git, pods }: Scene, release: ReleaseName, resources: string): Promise<string> => {
  const folder = join(git.folder, 'synth-out');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'operator.k8s.yaml'), bundleOf(release, pods.port));
  await writeFile(join(folder, 'resources.k8s.yaml'), resources);
  return git.push(`release ${release}`);
};

/** Runs the commands of the README that `init` writes: they install the health scripts in Argo CD. */
export const giveScripts = async ({ plane, git, project }: Scene): Promise<void> => {
  const readme = await readFile(join(project, 'gitops/README.md'), 'utf8');
  const [, commands = ''] = /```sh\n([^`]*)```/.exec(readme) ?? [];
  if (!commands.includes('argocd-cm')) throw new Error(`gitops/README.md says no commands for argocd-cm:\n${readme}`);
  const bin = join(project, 'bin');
  await mkdir(bin, { recursive: true });
  const program = join(bin, 'kubectl');
  const { kubectlProgram } = plane.access;
  await writeFile(program, `#!/bin/sh\nexec ${kubectlProgram} --kubeconfig ${plane.kubeconfig} "$@"\n`);
  await chmod(program, 0o755);
  const env = { ...process.env, PATH: `${bin}:${process.env['PATH']}` };
  await promisify(execFile)('sh', ['-euc', commands], { cwd: git.folder, env });
};

/** Applies the Application that `init` writes. */
export const applyApplication = async ({ plane, git, project }: Scene): Promise<void> => {
  const text = await readFile(join(project, 'gitops/argocd.yaml'), 'utf8');
  await kubectl(plane, ['apply', '-f', '-'], text.replace(/repoURL: .*/, `repoURL: ${git.url}`));
};

const BOOKKEEPING = new Set(['leases', 'events', 'applications', 'tokenreviews', 'subjectaccessreviews']);
const READS = new Set(['get', 'list', 'watch']);

/** Writes of Argo CD and of the operator as `user verb resource`, without their own bookkeeping and dry runs. */
export const writesSince = async (plane: ControlPlane, since: Date): Promise<readonly string[]> => {
  const users = new Set([ARGO_CD_USER.name, OPERATOR_USER]);
  const entries = await plane.auditEntries({ since });
  return entries
    .filter(({ user, verb, resource }) => users.has(user) && !READS.has(verb) && !BOOKKEEPING.has(resource))
    .filter(({ requestURI, resource }) => !requestURI.includes('dryRun') && !resource.startsWith('selfsubject'))
    .map(({ user, verb, resource, subresource, name }) => `${user} ${verb} ${resource} ${subresource} ${name}`);
};
