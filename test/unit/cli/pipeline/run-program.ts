import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';

/** The end of a program: its exit code, and its standard output and standard error in the order of arrival. */
export interface EndedProgram {
  readonly code: number;
  readonly printed: string;
}

/** Options for {@link runProgram}. */
export interface RunProgramOptions {
  /** The working directory. Programs in its folder `bin` come before those of the machine. */
  readonly folder: string;
  /** The whole environment, apart from `PATH`. */
  readonly env: Readonly<Record<string, string>>;
}

/** Runs a program without input. @param words - the program and its arguments */
export const runProgram = async (
  words: readonly string[],
  { folder, env }: RunProgramOptions,
): Promise<EndedProgram> => {
  const [program = '', ...args] = words;
  const PATH = [join(folder, 'bin'), process.env['PATH']].join(delimiter);
  const child = spawn(program, args, { cwd: folder, env: { PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { code, printed };
};
