import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { buildMissing } from './build.ts';
import type { ComponentName } from './command.ts';
import { findGo, runGo } from './go.ts';
import { type Launch, type Launched, startAndWait, stopNamed } from './launch.ts';
import { createProgress } from './progress.ts';
import { buildEnvironment, cacheRoot } from './recipe.ts';

const execute = promisify(execFile);

/** How storage is restored. */
export interface RestoreOptions {
  /**
   * By how much the revision is raised, as etcd recommends for Kubernetes, so that no version is used twice. All earlier
   * revisions are marked as compacted. @default not at all
   */
  readonly bump?: number;
  /** Action while storage is down. @default none */
  readonly whileDown?: () => Promise<void>;
}

/** A Go module of its own, because the tool is rarely needed, and the other programs are rebuilt when their module changes. */
const goModule = join(import.meta.dirname, 'go', 'etcdutl');
const GO_PACKAGE = 'go.etcd.io/etcd/etcdutl/v3';

const moduleHash = (): string => {
  const hash = createHash('sha256').update(JSON.stringify([process.platform, process.arch, buildEnvironment]));
  for (const name of ['go.mod', 'go.sum']) hash.update(readFileSync(join(goModule, name)));
  return hash.digest('hex').slice(0, 16);
};

const make = async (target: string): Promise<void> => {
  const flags = ['-mod=readonly', '-buildvcs=false', '-ldflags=-s -w'];
  const places = { folder: goModule, scratch: dirname(target) };
  await runGo(await findGo(), ['build', ...flags, '-o', target, GO_PACKAGE], places);
};

/**
 * Finds etcd's tool for snapshots, or builds it.
 *
 * @returns its path
 * @throws {ControlPlaneError} GO_MISSING, GO_TOO_OLD or BUILD_FAILED
 */
export const provideEtcdutl = async (): Promise<string> => {
  const folder = join(cacheRoot(), 'etcdutl', moduleHash());
  await buildMissing([{ name: 'etcdutl', title: 'etcdutl', make }], { folder, progress: createProgress() });
  return join(folder, 'etcdutl');
};

/** Components that keep state in memory, and would act on a lost future. */
const REMEMBERING: readonly ComponentName[] = ['kube-controller-manager', 'kube-scheduler', 'kwok'];

/**
 * Restores storage from a snapshot, as the Kubernetes documentation describes it: stops the API server and etcd,
 * replaces the data by the snapshot, starts both, and then restarts the other components.
 */
export const restoreStorage = async (
  launch: Launch,
  launched: Launched,
  { snapshot, bump = 0, whileDown }: RestoreOptions & { readonly snapshot: string },
): Promise<void> => {
  const etcdutl = await provideEtcdutl();
  await stopNamed(launch, 'kube-apiserver');
  await stopNamed(launch, 'etcd');
  const data = join(launch.folder, 'etcd');
  await rm(data, { recursive: true, force: true });
  const raised = bump > 0 ? [`--bump-revision=${bump}`, '--mark-compacted'] : [];
  await execute(etcdutl, ['snapshot', 'restore', snapshot, `--data-dir=${data}`, ...raised]);
  await whileDown?.();
  await startAndWait(launch, launched, ['etcd', 'kube-apiserver']);
  const others = REMEMBERING.filter((name) => launch.running.some((component) => component.name === name));
  for (const name of others) await stopNamed(launch, name);
  await startAndWait(launch, launched, others);
};
