import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { guardChild } from './guard.ts';

/** Options of one run of kubectl. */
export interface KubectlOptions {
  /** What it reads on standard input, for `apply --filename=-`. */
  readonly input?: string;
  /** @default 'admin' */
  readonly user?: string;
}

/** The result of a run of kubectl. */
export interface KubectlResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs kubectl; a failure is a result, not an error. */
export async function runKubectl(
  program: string,
  args: readonly string[],
  options: { readonly kubeconfig: string; readonly folder: string; readonly input?: string },
): Promise<KubectlResult> {
  const { kubeconfig, folder, input } = options;
  // A cache per plane: kubectl trusts discovery documents of another plane at the same port for six hours.
  const cache = `--cache-dir=${join(folder, 'kubectl-cache')}`;
  const child = spawn(program, [`--kubeconfig=${kubeconfig}`, cache, ...args], { stdio: 'pipe', detached: true });
  guardChild(child);
  // kubectl may end without reading its input.
  child.stdin.on('error', () => {}).end(input);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code: code ?? -1, stdout, stderr };
}
