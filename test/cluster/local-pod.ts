import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Yaml } from 'cdk8s';
import { DockerfileParser } from 'dockerfile-ast';
import { repository } from '#test/architecture/repository.ts';
import { tokenOf } from '#test/bench/ground/as-in-pod.ts';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { committedBundle, OPERATOR } from '#test/control-plane/install.ts';
import { type OperatorProcess, spawnCommand } from '#test/control-plane/operator-process.ts';

const exec = promisify(execFile);

/**
 * Makes a root file system with the contents of the image and the mounts of the kubelet only: Node with its libraries, the
 * files of the bundle, the credentials, /proc. Then runs `env -i <the rest>`, without new privileges.
 */
const SETUP = `set -eu
root=$1 node=$2 app=$3 workdir=$4 credentials=$5 mountpath=$6
shift 6
mount -t tmpfs -o mode=755 pod "$root"
mkdir -p "$root/nodejs/bin" "$root$workdir" "$root$mountpath" "$root/proc"
for library in $(ldd "$node" | grep -o '/[^ ]*'); do
  mkdir -p "$root\${library%/*}"
  cp "$library" "$root$library"
done
: > "$root/nodejs/bin/node"
mount --bind "$node" "$root/nodejs/bin/node"
cp -R "$app/." "$root$workdir"
cp -R "$credentials/." "$root$mountpath"
mount --rbind /proc "$root/proc"
mount -o remount,ro "$root"
exec setpriv --no-new-privs env -i "$@"`;

/** The reason why this machine cannot run such a pod without a container runtime; undefined when it can. */
export const noPodsBecause = async (): Promise<string | undefined> => {
  if (process.platform !== 'linux') return `namespaces are a feature of Linux, this is ${process.platform}`;
  // Tries namespaces within namespaces, as the script of the pod needs them.
  const nested =
    'mount --rbind /proc /mnt && mount -t tmpfs pod /mnt && setpriv --no-new-privs unshare --user --map-user=65532 --root / true && ldd /bin/sh';
  try {
    await exec('unshare', ['--mount', '--map-root-user', 'sh', '-c', nested]);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

interface PodSpec {
  readonly securityContext: { readonly runAsUser: number; readonly runAsGroup: number };
  readonly containers: readonly Container[];
}
interface Container {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env: readonly Variable[];
  readonly volumeMounts: readonly { readonly mountPath: string }[];
  readonly securityContext: { readonly readOnlyRootFilesystem: boolean };
}
interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly fieldRef: { readonly fieldPath: string } };
}
interface Deployed {
  readonly kind: string;
  readonly spec: { readonly template: { readonly spec: PodSpec } };
}

/** The one container of the committed bundle, and the security context of its pod. */
const deployedPod = (): { readonly spec: PodSpec; readonly container: Container } => {
  const deployment = (Yaml.load(committedBundle) as readonly Deployed[]).find(({ kind }) => kind === 'Deployment');
  const spec = deployment?.spec.template.spec;
  const [container] = spec?.containers ?? [];
  if (spec === undefined || container === undefined) throw new TypeError(`Cannot find a pod in ${committedBundle}`);
  return { spec, container };
};

/** The working directory and entry point from the Dockerfile. */
const image = async (): Promise<{ readonly workdir: string; readonly entryPoint: readonly string[] }> => {
  const instructions = DockerfileParser.parse(await readFile(join(repository, 'Dockerfile'), 'utf8')).getInstructions();
  const argumentOf = (keyword: string): string =>
    instructions.find((instruction) => instruction.getKeyword() === keyword)?.getRawArgumentsContent() ?? '';
  return { workdir: argumentOf('WORKDIR'), entryPoint: JSON.parse(argumentOf('ENTRYPOINT')) as readonly string[] };
};

/** Values of the downward API. */
const FIELDS: Readonly<Record<string, string>> = {
  'metadata.name': `${OPERATOR}-local`,
  'metadata.namespace': OPERATOR,
};

/** A container has ports of its own; on this machine the ports may be in use. */
const PORTS = { HEALTH_PORT: '0', METRICS_PORT: '0' };

/**
 * The environment that the kubelet gives to the container: the variables of the Deployment, and those of the Service of
 * the API server.
 */
const environment = ({ env }: Container, url: string): Readonly<Record<string, string>> => {
  const { hostname, port } = new URL(url);
  const variables = env.map(({ name, value, valueFrom }) => [
    name,
    value ?? FIELDS[valueFrom?.fieldRef.fieldPath ?? ''],
  ]);
  return {
    ...(Object.fromEntries(variables) as Record<string, string>),
    ...PORTS,
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
  };
};

/** The files of the projected volume of the Deployment. */
const mountedFiles = async (plane: ControlPlane, folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  const token = await tokenOf(await plane.serviceAccountKubeconfig(OPERATOR, OPERATOR));
  await writeFile(join(folder, 'token'), token, { mode: 0o600 });
  await writeFile(join(folder, 'namespace'), OPERATOR);
  await copyFile(plane.access.caFile, join(folder, 'ca.crt'));
};

/** A pod of the committed bundle. */
export interface LocalPod {
  /** Runs the image's entry point as the pod does, or Node with other arguments in its place. */
  readonly spawn: (...instead: readonly string[]) => OperatorProcess;
}

/**
 * The pod of the committed Deployment, without a container runtime: its variables, arguments, user and credentials, the entry
 * point of the Dockerfile, and a read-only root of its own. The network is that of this machine.
 *
 * @param scratch - a folder of its own
 * @param app - the bundle
 */
export const localPod = async (
  plane: ControlPlane,
  { scratch, app }: { readonly scratch: string; readonly app: string },
): Promise<LocalPod> => {
  const { spec, container } = deployedPod();
  const { workdir, entryPoint } = await image();
  const [root, credentials] = [join(scratch, 'root'), join(scratch, 'credentials')];
  await mkdir(root, { recursive: true });
  await mountedFiles(plane, credentials);
  const unshare = (await exec('sh', ['-c', 'command -v unshare'])).stdout.trim();
  const { runAsUser, runAsGroup } = spec.securityContext;
  const user = ['--user', `--map-user=${runAsUser}`, `--map-group=${runAsGroup}`];
  const mountPath = container.volumeMounts[0]?.mountPath ?? '';
  const setup = ['sh', '-c', SETUP, 'pod', root, process.execPath, app, workdir, credentials, mountPath];
  const variables = Object.entries(environment(container, plane.url)).map(([name, value]) => `${name}=${value}`);
  const command = [...(container.command ?? entryPoint), ...(container.args ?? [])];
  const spawn = (...instead: readonly string[]): OperatorProcess => {
    const inside = instead.length === 0 ? command : [command[0] ?? '', ...instead];
    const isolated = [...variables, unshare, ...user, '--root', root, '--wd', workdir, ...inside];
    return spawnCommand([unshare, '--mount', '--map-root-user', ...setup, ...isolated], process.env);
  };
  return { spawn };
};
