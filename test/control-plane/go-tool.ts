import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildMissing } from './build.ts';
import { findGo, runGo } from './go.ts';
import { createProgress } from './progress.ts';
import { cacheRoot } from './recipe.ts';

/** A program that tests run beside the control plane, built from a Go module of its own. */
export interface GoTool {
  readonly name: string;
  readonly goPackage: string;
  /** The folder with go.mod and go.sum, the only place with its version. */
  readonly goFolder: string;
  /** Flags of `go build`, without output and package. */
  readonly flags: readonly string[];
}

/** The cache folder outside of the repository, one per version. */
const folderOf = ({ name, goFolder, flags }: GoTool): string => {
  const hash = createHash('sha256').update(JSON.stringify([process.platform, process.arch, flags]));
  for (const file of ['go.mod', 'go.sum']) hash.update(readFileSync(join(goFolder, file)));
  return join(cacheRoot(), name, hash.digest('hex').slice(0, 16));
};

/**
 * Finds a program in the cache, and builds it when it is missing.
 *
 * @returns its path
 * @throws {ControlPlaneError} without Go
 */
export const provideGoTool = async (tool: GoTool): Promise<string> => {
  const { name, goPackage, goFolder, flags } = tool;
  const make = async (target: string): Promise<void> => {
    const args = ['build', ...flags, '-o', target, goPackage];
    await runGo(await findGo(), args, { folder: goFolder, scratch: dirname(target) });
  };
  const folder = folderOf(tool);
  await buildMissing([{ name, title: name, make }], { folder, progress: createProgress() });
  return join(folder, name);
};

/** Output and exit code of a program: 0 when it found nothing wrong. */
export interface Verdict {
  readonly code: number | null;
  readonly text: string;
}

/** Input of a program. */
export interface ToolInput {
  /** Contents by file name; they are written into a temporary folder, in which the program runs. */
  readonly files?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Runs a program in a temporary folder. */
export const runGoTool = async (
  tool: GoTool,
  args: readonly string[],
  { files = {}, input = '' }: ToolInput = {},
): Promise<Verdict> => {
  const program = await provideGoTool(tool);
  const cwd = await mkdtemp(join(tmpdir(), `${tool.name}-`));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
    const child = spawn(program, [...args], { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    child.stdin.end(input);
    const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
    return { code, text };
  } finally {
    await rm(cwd, { recursive: true });
  }
};
