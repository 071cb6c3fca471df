import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ControlPlaneError } from './error.ts';
import { guardChild } from './guard.ts';
import {
  type ArtifactName,
  binaryRecipes,
  buildEnvironment,
  buildFlags,
  type GoModule,
  goModuleFolder,
  kwokStageFiles,
} from './recipe.ts';
import { recordChild } from './scratch.ts';

const execute = promisify(execFile);

/** The version that the go directives of our modules require. */
const oldestGo = { major: 1, minor: 26 } as const;

/**
 * Finds a Go that is recent enough.
 * @param candidates commands or paths, the best first; @default the PATH, then the usual places
 * @returns the first one that is recent enough
 * @throws {ControlPlaneError} GO_MISSING when there is none, GO_TOO_OLD when all are older than our modules require
 */
export async function findGo(candidates: readonly string[] = goCandidates()): Promise<string> {
  const found: string[] = [];
  for (const candidate of candidates) {
    const version = await tryGoVersion(candidate);
    if (version === undefined) continue;
    if (isNewEnough(version)) return candidate;
    found.push(`${candidate} is ${version}`);
  }
  const wanted = `Go ${oldestGo.major}.${oldestGo.minor} or newer`;
  const state = found.length > 0 ? found.join(', ') : `not found (looked for ${candidates.join(', ')} on this PATH)`;
  throw new ControlPlaneError(
    found.length > 0 ? 'GO_TOO_OLD' : 'GO_MISSING',
    `Cannot build the control plane: Go: ${state}, expected ${wanted}. Install it from https://go.dev/dl, or set ` +
      'KUBEBUILDER_ASSETS to a folder with kube-apiserver, etcd and kubectl and start without controllers, scheduler and kwok.',
  );
}

/** What {@link makeWithGo} makes. */
export interface GoArtifact {
  readonly name: ArtifactName;
  readonly goModule: GoModule;
  /** The file to write, inside a scratch folder which also takes Go's temporary files. */
  readonly target: string;
}

/**
 * Makes one artifact with Go: builds a program, or collects the stage files of kwok's sources.
 * @throws {ControlPlaneError} BUILD_FAILED with the end of Go's output
 */
export async function makeWithGo(go: string, { name, goModule, target }: GoArtifact): Promise<void> {
  if (name === 'kwok-stages.yaml') return collectStages(go, target);
  const { goPackage } = binaryRecipes[name];
  await runGo(go, ['build', ...buildFlags(goModule), '-o', target, goPackage], {
    folder: goModuleFolder(goModule),
    scratch: dirname(target),
  });
}

async function collectStages(go: string, target: string): Promise<void> {
  const scratch = dirname(target);
  const output = await runGo(go, ['mod', 'download', '-json', 'sigs.k8s.io/kwok'], {
    folder: goModuleFolder('kwok'),
    scratch,
  });
  const { Dir } = JSON.parse(output) as { readonly Dir: string };
  const stages = await Promise.all(kwokStageFiles.map((file) => readFile(join(Dir, file), 'utf8')));
  await writeFile(target, stages.join('\n---\n'));
}

/** Options of a run of Go. */
export interface GoRun {
  /** The folder with the `go.mod` that pins the versions. */
  readonly folder: string;
  /** A scratch folder, for temporary files. */
  readonly scratch: string;
  /** Variables that replace those of every build, such as for a program with C code. @default none */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs Go in a process group of its own, which ends with this process.
 *
 * @returns its output
 * @throws {ControlPlaneError} BUILD_FAILED with the end of Go's output
 */
export async function runGo(go: string, args: readonly string[], { folder, scratch, env }: GoRun): Promise<string> {
  const child = spawn(go, args, {
    cwd: folder,
    env: { ...process.env, ...buildEnvironment, ...env, GOTMPDIR: scratch },
    // Go has no input (it could ask for a proxy's password), and its own group, so that its compilers can be killed
    // with it.
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  guardChild(child);
  if (child.pid !== undefined) recordChild(scratch, child.pid);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  if (code === 0) return stdout;
  throw new ControlPlaneError(
    'BUILD_FAILED',
    `Cannot run "${basename(go)} ${args[0]} … ${args.at(-1)}": ended with ${signal ?? `code ${code}`}:\n${stderr.slice(-4000)}`,
  );
}

async function tryGoVersion(go: string): Promise<string | undefined> {
  try {
    const { stdout } = await execute(go, ['env', 'GOVERSION'], { env: { ...process.env, GOTOOLCHAIN: 'local' } });
    return stdout.trim();
  } catch {
    return undefined;
  }
}

function isNewEnough(version: string): boolean {
  const [, major = '0', minor = '0'] = /^go(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) > oldestGo.major || (Number(major) === oldestGo.major && Number(minor) >= oldestGo.minor);
}

/** After the PATH: folders in which installers put Go without changing the PATH of open shells. */
function goCandidates(): readonly string[] {
  const root = process.env['GOROOT'];
  const roots = [...(root === undefined ? [] : [root]), '/usr/local/go', '/opt/homebrew/opt/go/libexec'];
  return ['go', ...roots.map((folder) => join(folder, 'bin', 'go'))];
}
