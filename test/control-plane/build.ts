import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { withLock } from './lock.ts';
import type { Progress } from './progress.ts';
import { makeScratch, removeLeftovers, removeScratch } from './scratch.ts';

/** A file, and how to build it. */
export interface BuildStep {
  readonly name: string;
  /** For people, such as `kube-apiserver v1.36.4`. */
  readonly title: string;
  /** Writes the file; other processes never see an incomplete file. */
  readonly make: (target: string) => Promise<void>;
}

/** Options of {@link buildMissing}. */
export interface BuildOptions {
  /** The folder of the files; created when missing. */
  readonly folder: string;
  readonly progress: Progress;
  /** Interval in which the end of another build is checked. @default 200 */
  readonly lockPollMs?: number;
}

const scratchPrefix = 'building';

/**
 * Builds the missing files.
 *
 * Guarantees: a file that exists is complete, because it is built in a scratch folder and renamed. When several
 * processes need it, one builds and the others wait. Files that a killed build completed are kept, and its other files
 * are removed.
 */
export async function buildMissing(steps: readonly BuildStep[], options: BuildOptions): Promise<void> {
  const { folder, progress, lockPollMs = 200 } = options;
  // The usual case needs no lock: all files exist.
  if (missing(steps, folder).length === 0) return;
  await mkdir(folder, { recursive: true });
  const onWait = ({ pid }: { readonly pid: number }): void =>
    progress.note(`waiting for the build of process ${pid} …`);
  await withLock(join(folder, 'lock'), () => buildLocked(steps, { folder, progress }), { onWait, pollMs: lockPollMs });
}

async function buildLocked(steps: readonly BuildStep[], { folder, progress }: BuildOptions): Promise<void> {
  await removeLeftovers(folder, scratchPrefix);
  // Checked again: another process may have built the files while this one waited for the lock.
  for (const step of missing(steps, folder)) {
    const label = { doing: `building ${step.title}`, done: `built ${step.title}` };
    await progress.step(label, () => buildStep(step, folder));
  }
}

async function buildStep({ name, make }: BuildStep, folder: string): Promise<void> {
  const scratch = await makeScratch(folder, scratchPrefix);
  try {
    const target = join(scratch, name);
    await make(target);
    await rename(target, join(folder, name));
  } finally {
    await removeScratch(scratch);
  }
}

function missing(steps: readonly BuildStep[], folder: string): readonly BuildStep[] {
  return steps.filter(({ name }) => !existsSync(join(folder, name)));
}
