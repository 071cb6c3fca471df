import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'credentials-'));
});
afterEach(() => rm(dir, { recursive: true }));

/** The path of a file in a folder that lives as long as the test; of the folder itself without a name. */
export const at = (name = ''): string => join(dir, name);

/** Writes a file into that folder. @returns its path */
export const put = async (name: string, content: string): Promise<string> => {
  await writeFile(at(name), content);
  return at(name);
};

/** What a pod's environment says of its API server. */
export const inPod = (more: Record<string, string> = {}) => ({
  KUBERNETES_SERVICE_HOST: '10.0.0.1',
  KUBERNETES_SERVICE_PORT: '443',
  ...more,
});
