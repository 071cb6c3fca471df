import { ConfigurationError } from '#lib/errors.ts';

/** The parts of an image name. */
export interface Reference {
  /** The host and port of the registry, as users write them; `docker.io` for names without a registry. */
  readonly registry: string;
  readonly repository: string;
  readonly tag?: string | undefined;
  readonly digest?: string | undefined;
}

// https://github.com/distribution/reference/blob/main/reference.go
const PATH = /^[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*)*$/;
const HOST =
  /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*|\[[0-9A-Fa-f:]+\])(?::\d{1,5})?$/;
const PARTS = /^(?<name>[^@]+?)(?::(?<tag>\w[\w.-]{0,127}))?(?:@(?<digest>sha256:[0-9a-f]{64}))?$/;

const DOCKER_HUB = 'docker.io';

const splitName = (name: string): readonly [registry: string, repository: string] => {
  const slash = name.indexOf('/');
  const first = name.slice(0, Math.max(slash, 0));
  const isHost = /[.:]/.test(first) || first === 'localhost';
  const [registry, path] = isHost ? [first, name.slice(slash + 1)] : [DOCKER_HUB, name];
  return [registry, registry === DOCKER_HUB && !path.includes('/') ? `library/${path}` : path];
};

/**
 * Parses an image name by the rules of Docker, but digests must be `sha256` digests.
 *
 * @param option - the option of the command line, for messages
 * @throws {ConfigurationError} when the text is not an image name
 */
export const parseReference = (option: string, text: string): Reference => {
  const { name = '', tag, digest } = PARTS.exec(text)?.groups ?? {};
  const [registry, repository] = splitName(name);
  if (HOST.test(registry) && PATH.test(repository) && name.length <= 255) return { registry, repository, tag, digest };
  throw new ConfigurationError(
    `Cannot use ${option} "${text}": it must be the name of an image, such as registry.example.com/operator:0.1.0`,
  );
};

/**
 * Parses the name of an image to build.
 *
 * @throws {ConfigurationError} when the text is not an image name, has no tag, or has a digest
 */
export const parseTag = (option: string, text: string): Reference & { readonly tag: string } => {
  const reference = parseReference(option, text);
  const { tag, digest } = reference;
  if (digest !== undefined)
    throw new ConfigurationError(`Cannot use ${option} "${text}": the digest is the result of the build; leave it out`);
  if (tag === undefined)
    throw new ConfigurationError(`Cannot use ${option} "${text}": it has no tag; add one, such as ${text}:0.1.0`);
  return { ...reference, tag };
};

/** The name of an image with registry and repository, without tag and digest. */
export const imageName = ({ registry, repository }: Reference): string => `${registry}/${repository}`;
