import { writeFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import type { CliContext } from './context.ts';
import { UsageError } from './report.ts';
import { cannotWrite } from './write-file.ts';

interface OutputFormat {
  readonly extension: string;
  /** The format in words, for messages. */
  readonly words: string;
  /** The word that is printed before the path of the written file. */
  readonly done: string;
}

/** The options that name a file to write, and the format of the file. */
const FORMATS = {
  picture: { extension: '.svg', words: 'pictures are SVG', done: 'Drawn' },
  report: { extension: '.html', words: 'reports are HTML', done: 'Report' },
} as const satisfies Readonly<Record<string, OutputFormat>>;

/** The files that a command writes besides its result, by the names of their options. */
export type OutputFiles = Readonly<Partial<Record<keyof typeof FORMATS, string | undefined>>>;

/**
 * Checks the names of output files before any work starts.
 *
 * @param named - the file names that the user typed; undefined without a file
 * @throws {UsageError} when a file name has the extension of another format; a name without an extension is accepted
 */
export const assertOutputNames = (named: OutputFiles): void => {
  for (const option of ['picture', 'report'] as const) {
    const { extension, words } = FORMATS[option];
    const name = named[option];
    if (name === undefined || [extension, ''].includes(extname(name).toLowerCase())) continue;
    throw new UsageError(`--${option} is "${name}": ${words}; name a file that ends with ${extension}`);
  }
};

/**
 * Writes an output file, and prints its path.
 *
 * @param context - the process
 * @param option - the option that names the file
 * @param file - the file name that the user typed, and the text of the file
 * @throws {ConfigurationError} with the reason when the file cannot be written
 */
export const writeOutputFile = async (
  context: Pick<CliContext, 'cwd' | 'stderr'>,
  option: keyof typeof FORMATS,
  { name, text }: { readonly name: string; readonly text: string },
): Promise<void> => {
  await writeFile(resolve(context.cwd, name), text).catch((cause: unknown) => {
    throw cannotWrite(name, cause);
  });
  context.stderr.write(`${FORMATS[option].done}: ${name}\n`);
};
