import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What `cdk8s synth` wrote. */
export interface Synthesis extends AsyncDisposable {
  /** Path of the install bundle. */
  readonly path: string;
}

/** Runs `cdk8s synth` into a folder of its own, so that the committed one stays as it is. */
export const synthesize = async (): Promise<Synthesis> => {
  const folder = await mkdtemp(join(tmpdir(), 'cdk8s-reconcile-synth-'));
  const cli = join(root, 'node_modules', 'cdk8s-cli', 'bin', 'cdk8s');
  // cdk8s.yaml says `node`: let that be the Node of this project, however the demo was started.
  const path = [join(root, 'node_modules', '.bin'), process.env['PATH']].join(':');
  const env = { ...process.env, PATH: path, CDK8S_CHECK_UPGRADE: 'false' };
  await promisify(execFile)(process.execPath, [cli, 'synth', '--output', folder], { cwd: root, env });
  const dispose = (): Promise<void> => rm(folder, { recursive: true, force: true });
  return { path: join(folder, 'operator.k8s.yaml'), [Symbol.asyncDispose]: dispose };
};
