import { join } from 'node:path';
import type { Artifacts } from './binaries.ts';
import { attachControlPlane, type ControlPlaneAccess, type ControlPlaneClient } from './client.ts';
import { type CommandContext, type ComponentName, toArguments } from './command.ts';
import { type Component, type StopSignal, startComponent } from './component.ts';
import { type AuditLevel, writeDataFiles } from './data.ts';
import { ControlPlaneError } from './error.ts';
import { kwokObjects, nodeName } from './kwok.ts';
import { isNamespaceReady } from './namespace.ts';
import { chooseFreePorts } from './port.ts';
import { isNodeReady, waitAlive, waitForApiServer } from './ready.ts';
import { type ApiRequest, refused } from './request.ts';
import { removeScratch } from './scratch.ts';
import { createCredentials, harnessUser, type StaticUser, systemUsers, writeKubeconfig } from './users.ts';

/** The components to run. */
export interface LaunchPlan {
  /** Components in the order of their start. */
  readonly components: readonly ComponentName[];
  readonly artifacts: Artifacts;
  readonly users: readonly StaticUser[];
  readonly stages: readonly object[];
  readonly auditLevel: AuditLevel | undefined;
  readonly isDurable: boolean;
  readonly admissionPlugins: readonly string[];
}

/** One attempt to start a plane. Components are added as they start, so that a failed attempt can be undone. */
export interface Launch {
  readonly plan: LaunchPlan;
  readonly folder: string;
  readonly running: Component[];
}

/** A started plane. */
export interface Launched {
  readonly client: ControlPlaneClient;
  /** The arguments with which components are restarted. */
  readonly context: CommandContext;
}

/**
 * Starts the components and waits until they are usable.
 * @throws {ControlPlaneError} COMPONENT_DIED, PORT_TAKEN or NOT_READY; the caller then calls {@link stopPlane}
 */
export async function launchPlane(launch: Launch): Promise<Launched> {
  const { components } = launch.plan;
  const { access, context } = await prepare(launch);
  const start = (name: ComponentName): void => void launch.running.push(startNamed(name, launch, context));
  // The API server retries until etcd answers.
  start('etcd');
  start('kube-apiserver');
  await waitForApiServer(launch.running, access);
  // The other components would end at once without an API server and its certificate.
  for (const name of components) if (name !== 'etcd' && name !== 'kube-apiserver') start(name);
  const client = attachControlPlane(access);
  await waitForContents(launch, client.request);
  for (const component of launch.running) component.announceEnd();
  return { client, context };
}

/** Options of a restart. */
export interface RestartOptions {
  /** SIGKILL simulates a crash. @default 'SIGTERM' */
  readonly signal?: StopSignal;
  /** Action while the component is down. @default nothing: it is restarted at once */
  readonly whileDown?: () => Promise<void>;
}

/**
 * Ends a component and starts it again, with the same arguments over the same data.
 *
 * Guarantees: resolves when the API server reports that it is ready, etcd included. The other components have no such
 * report; they take a second or two.
 * @throws {ControlPlaneError} NOT_STARTED when the plane runs without it, COMPONENT_DIED, NOT_READY
 */
export async function restartComponent(
  launch: Launch,
  { client, context }: Launched,
  restart: { readonly name: ComponentName } & RestartOptions,
): Promise<void> {
  const { name, signal = 'SIGTERM', whileDown } = restart;
  const index = launch.running.findIndex((component) => component.name === name);
  if (index < 0) {
    const names = launch.running.map((component) => component.name).join(', ');
    throw new ControlPlaneError('NOT_STARTED', `Cannot restart "${name}": not running, expected one of ${names}`);
  }
  await launch.running[index]?.stop(signal);
  await whileDown?.();
  const started = startNamed(name, launch, context);
  launch.running[index] = started;
  await waitForApiServer(launch.running, client.access);
  started.announceEnd();
}

/** Ends a component. */
export async function stopNamed(launch: Launch, name: ComponentName): Promise<void> {
  await launch.running.find((component) => component.name === name)?.stop();
}

/** Starts stopped components again, in this order, and waits until the API server is ready. */
export async function startAndWait(
  launch: Launch,
  { client, context }: Launched,
  names: readonly ComponentName[],
): Promise<void> {
  for (const name of names) {
    const index = launch.running.findIndex((component) => component.name === name);
    launch.running[index] = startNamed(name, launch, context);
  }
  await waitForApiServer(launch.running, client.access);
  for (const component of launch.running) component.announceEnd();
}

async function prepare(launch: Launch): Promise<{ access: ControlPlaneAccess; context: CommandContext }> {
  const { folder, plan } = launch;
  const { admissionPlugins, artifacts, auditLevel, components, isDurable, stages } = plan;
  const users = [...systemUsers, ...plan.users];
  const credentials = createCredentials(users);
  const hasAudit = auditLevel !== undefined;
  const stageFile = components.includes('kwok') ? artifacts['kwok-stages.yaml'] : undefined;
  await writeDataFiles(folder, { users, credentials, auditLevel, stageFile, stages });
  // Chosen last, to keep the time short in which another process may take them.
  const [etcdPort = 0, apiServerPort = 0] = await chooseFreePorts(2);
  const endpoint = { url: `https://127.0.0.1:${apiServerPort}`, caFile: join(folder, 'apiserver.crt') };
  await Promise.all(credentials.map((credential) => writeKubeconfig(folder, credential, endpoint)));
  return {
    access: {
      ...endpoint,
      folder,
      credentials,
      kubectlProgram: artifacts.kubectl,
      hasAudit,
      hasControllers: components.includes('kube-controller-manager'),
    },
    context: { folder, etcdPort, apiServerPort, hasAudit, isDurable, admissionPlugins },
  };
}

function startNamed(name: ComponentName, { folder, plan }: Launch, context: CommandContext): Component {
  return startComponent({ name, program: plan.artifacts[name], args: toArguments(name, context), folder });
}

async function waitForContents(launch: Launch, request: ApiRequest): Promise<void> {
  const { components } = launch.plan;
  if (components.includes('kwok')) {
    for (const { path, body } of kwokObjects()) {
      const response = await request('POST', path, body, { user: harnessUser });
      if (response.status !== 201) throw refused(`create ${body.kind} "${body.metadata.name}"`, response);
    }
    await waitAlive(launch.running, `node "${nodeName}" to be ready`, () => isNodeReady(request, nodeName));
  }
  if (components.includes('kube-controller-manager')) {
    await waitAlive(launch.running, 'namespace "default"', () => isNamespaceReady(request, 'default'));
  }
}

/** Stops in the reverse order of the start: no component loses its server, so no shutdown hangs. */
export async function stopPlane({ running, folder }: Launch): Promise<void> {
  for (const component of running.toReversed()) await component.stop();
  await removeScratch(folder);
}
