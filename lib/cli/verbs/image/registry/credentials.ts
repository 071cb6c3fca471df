import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ConfigurationError } from '#lib/errors.ts';

/**
 * The credentials of a client: a password, or an identity token, which the token service of the registry exchanges for another
 * token.
 */
export type RegistryCredentials =
  | { readonly username: string; readonly password: string }
  | { readonly identityToken: string };

type Env = Readonly<Record<string, string | undefined>>;

interface DockerConfig {
  readonly auths?: Readonly<Record<string, { readonly auth?: string; readonly identitytoken?: string }>>;
  readonly credsStore?: string;
  readonly credHelpers?: Readonly<Record<string, string>>;
}

/** The possible keys of a registry in Docker's configuration file. For Docker Hub, Docker writes an old address as the key. */
const keysOf = (registry: string): readonly string[] =>
  registry === 'docker.io'
    ? ['https://index.docker.io/v1/', 'docker.io']
    : [registry, `https://${registry}`, `https://${registry}/v1/`, `https://${registry}/v2/`];

const readConfig = async (path: string): Promise<DockerConfig> => {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as DockerConfig;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new ConfigurationError(
      `Cannot read credentials from ${path}: ${(cause as Error).message}; correct the file`,
      {
        cause,
      },
    );
  }
};

const fromEntry = ({
  auth,
  identitytoken,
}: {
  readonly auth?: string;
  readonly identitytoken?: string;
}): RegistryCredentials | undefined => {
  if (identitytoken !== undefined && identitytoken !== '') return { identityToken: identitytoken };
  const decoded = Buffer.from(auth ?? '', 'base64')
    .toString('utf8')
    .replace(/\0+$/, '');
  const colon = decoded.indexOf(':');
  return colon <= 0 ? undefined : { username: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
};

/**
 * Asks a credential helper of Docker; undefined if the helper has no credentials.
 *
 * @see https://github.com/docker/docker-credential-helpers#development
 */
const askHelper = async (helper: string, key: string, env: Env): Promise<RegistryCredentials | undefined> => {
  const program = `docker-credential-${helper}`;
  const child = spawn(program, ['get'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  try {
    const closed = once(child, 'close') as Promise<[number | null]>;
    child.stdin.on('error', () => undefined).end(key);
    const [answer, [code]] = await Promise.all([text(child.stdout), closed]);
    if (code !== 0) return undefined;
    const { Username = '', Secret = '' } = JSON.parse(answer) as {
      readonly Username?: string;
      readonly Secret?: string;
    };
    return Username === '<token>' ? { identityToken: Secret } : { username: Username, password: Secret };
  } catch (cause) {
    throw new ConfigurationError(
      `Cannot get credentials from ${program}: ${(cause as Error).message}; install it, or sign in again: docker login`,
      { cause },
    );
  }
};

/**
 * Reads the credentials that `docker login` stored.
 *
 * @param registry - host and port
 * @param env - `DOCKER_CONFIG`, `HOME`; `PATH` for credential helpers
 * @returns undefined if there are no credentials
 * @throws {ConfigurationError} when the configuration of Docker cannot be read, or a credential helper fails
 */
export const credentialsFor = async (registry: string, env: Env): Promise<RegistryCredentials | undefined> => {
  const folder = env['DOCKER_CONFIG'] || join(env['HOME'] || homedir(), '.docker');
  const config = await readConfig(join(folder, 'config.json'));
  const keys = keysOf(registry);
  const [key = registry] = keys;
  const helper = keys.map((name) => config.credHelpers?.[name]).find((name) => name !== undefined) ?? config.credsStore;
  const stored = helper === undefined ? undefined : await askHelper(helper, key, env);
  if (stored !== undefined) return stored;
  return keys
    .map((name) => config.auths?.[name])
    .filter((entry) => entry !== undefined)
    .map(fromEntry)
    .find((found) => found !== undefined);
};
