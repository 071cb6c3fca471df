import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { withLock } from './lock.ts';
import type { Progress } from './progress.ts';
import { makeScratch, removeLeftovers, removeScratch } from './scratch.ts';

/** A file to make and how to make it. */
export interface BuildStep {
  readonly name: string;
  /** For people, such as `kube-apiserver v1.36.4`. */
  readonly title: string;
  /** Writes the file; a half written file is never seen by others. */
  readonly make: (target: string) => Promise<void>;
}

/** Options of {@link buildMissing}. */
export interface BuildOptions {
  /** Where the files live; made when missing. */
  readonly folder: string;
  readonly progress: Progress;
  /** How often to look whether another build is done. @default 200 */
  readonly lockPollMs?: number;
}

const scratchPrefix = 'building';

/**
 * Makes the files that do not exist yet.
 *
 * Guarantees: a file that exists is complete, because it is made in a scratch folder and renamed; of several processes
 * one builds and the others wait; what a killed build finished is kept, and its rest is removed.
 */
export async function buildMissing(steps: readonly BuildStep[], options: BuildOptions): Promise<void> {
  const { folder, progress, lockPollMs = 200 } = options;
  // The usual case, and free of any lock: everything is there.
  if (missing(steps, folder).length === 0) return;
  await mkdir(folder, { recursive: true });
  const onWait = ({ pid }: { readonly pid: number }): void =>
    progress.note(`waiting for the build of process ${pid} …`);
  await withLock(join(folder, 'lock'), () => buildLocked(steps, { folder, progress }), { onWait, pollMs: lockPollMs });
}

async function buildLocked(steps: readonly BuildStep[], { folder, progress }: BuildOptions): Promise<void> {
  await removeLeftovers(folder, scratchPrefix);
  // Looked at again: while we waited for the lock, its holder has built.
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
