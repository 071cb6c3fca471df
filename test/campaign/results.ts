import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PartResult } from './part.ts';

/** The folder of the committed results. */
export const RESULTS = fileURLToPath(new URL('results', import.meta.url));

const fileOf = (part: string, folder: string): string => join(folder, `${part}.json`);

/** The last result of a part. */
export const readPartResult = (part: string, folder = RESULTS): PartResult | undefined => {
  const file = fileOf(part, folder);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as PartResult) : undefined;
};

/** Writes a result. A full disk leaves the previous result as it was. */
export const writePartResult = (result: PartResult, folder = RESULTS): void => {
  mkdirSync(folder, { recursive: true });
  const file = fileOf(result.part, folder);
  writeFileSync(`${file}.new`, `${JSON.stringify(result, null, 2)}\n`);
  renameSync(`${file}.new`, file);
};
