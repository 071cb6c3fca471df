import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '#test/architecture/repository.ts';

const exec = promisify(execFile);

/** An earlier commit of this repository, checked out in a separate folder with its locked packages. */
export interface EarlierRelease extends AsyncDisposable {
  readonly operator: string;
  readonly bundle: string;
}

const isLockedAlike = async (folder: string): Promise<boolean> => {
  const locks = [folder, repository].map((root) => readFile(join(root, 'package-lock.json'), 'utf8'));
  const [theirs, ours] = await Promise.all(locks);
  return theirs === ours;
};

/**
 * Checks a commit out into a folder of its own.
 *
 * @param commit - anything that `git worktree add` accepts
 * @throws when git does not know the commit, or `npm ci` fails
 */
export const checkOutRelease = async (commit: string): Promise<EarlierRelease> => {
  const folder = await mkdtemp(join(tmpdir(), 'earlier-release-'));
  await exec('git', ['worktree', 'add', '--detach', '--force', folder, commit], { cwd: repository });
  if (await isLockedAlike(folder)) await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
  else await exec('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder });
  return {
    operator: join(folder, 'apps/operator.ts'),
    bundle: join(folder, 'synth-out/operator.k8s.yaml'),
    [Symbol.asyncDispose]: async () => {
      await rm(folder, { recursive: true, force: true });
      await exec('git', ['worktree', 'prune'], { cwd: repository });
    },
  };
};
