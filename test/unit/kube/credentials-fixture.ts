import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

let dir: string | undefined;

/** Made at the first use in a test file, and not by a hook of this module, which is loaded once for many test files. */
const folderOfTest = (): string => {
  if (dir !== undefined) return dir;
  const folder = mkdtempSync(join(tmpdir(), 'credentials-'));
  onTestFinished(async () => {
    dir = undefined;
    await rm(folder, { recursive: true });
  });
  dir = folder;
  return folder;
};

/** The path of a file in a folder that is deleted at the end of the test; of the folder itself without a name. */
export const at = (name = ''): string => join(folderOfTest(), name);

/** Writes a file into the folder of the test file. @returns its path */
export const put = async (name: string, content: string): Promise<string> => {
  await writeFile(at(name), content);
  return at(name);
};

/** The variables in a pod's environment for its API server. */
export const inPod = (more: Record<string, string> = {}) => ({
  KUBERNETES_SERVICE_HOST: '10.0.0.1',
  KUBERNETES_SERVICE_PORT: '443',
  ...more,
});
