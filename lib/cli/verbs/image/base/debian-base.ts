import { ConfigurationError } from '#lib/errors.ts';
import { type Descriptor, type ImageConfig, MEDIA_TYPES } from '../oci/descriptor.ts';
import type { PlatformBase } from '../oci/image.ts';
import { compressedLayer } from '../oci/layer-cache.ts';
import { type TarEntry, tarOf, textFile } from '../oci/tar.ts';
import type { Base, BaseInput } from './base.ts';
import { readDeb } from './deb.ts';
import { getFromFirst, pinnedFile } from './download.ts';
import { nodeFiles } from './npm-node.ts';
import type { DebianPin, ImagePins } from './pins.ts';
import { baseSbom } from './sbom.ts';

/** The servers of Debian packages. */
export interface DebianMirrors {
  /** The server of the current archives. @default https://deb.debian.org */
  readonly current: string;
  /** The server of earlier states of the archives. @default https://snapshot.debian.org/archive */
  readonly snapshots: string;
}

const MIRRORS: DebianMirrors = { current: 'https://deb.debian.org', snapshots: 'https://snapshot.debian.org/archive' };

/** Files that the maintainer scripts of packages would create. This build does not run these scripts. */
const ACCOUNTS: readonly TarEntry[] = [
  textFile(
    'etc/passwd',
    'root:x:0:0:root:/root:/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/nonexistent:/sbin/nologin\n',
  ),
  textFile('etc/group', 'root:x:0:\nnogroup:x:65534:\nnonroot:x:65532:\n'),
  textFile('etc/nsswitch.conf', 'hosts: files dns\n'),
];

/** The file that `update-ca-certificates` would create from the certificates of the package. */
const authorities = (entries: readonly TarEntry[]): TarEntry => {
  const certificates = entries
    .filter(({ path }) => /^usr\/share\/ca-certificates\/.*\.crt$/.test(path))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ bytes = new Uint8Array() }) => Buffer.from(bytes).toString('utf8').trim());
  return textFile('etc/ssl/certs/ca-certificates.crt', `${certificates.join('\n')}\n`);
};

const debianPackage = async (
  pin: DebianPin,
  snapshot: string,
  mirrors: DebianMirrors,
  { http, cache }: BaseInput,
): Promise<readonly TarEntry[]> => {
  const name = `${pin.name} ${pin.version}`;
  const urls = [
    `${mirrors.current}/${pin.archive}/${pin.path}`,
    `${mirrors.snapshots}/${pin.archive}/${snapshot}/${pin.path}`,
  ];
  const integrity = `sha256-${Buffer.from(pin.sha256, 'hex').toString('base64')}`;
  const archive = await pinnedFile({ name, integrity }, cache, () =>
    getFromFirst(
      http,
      name,
      urls.map((url) => new URL(url)),
    ),
  );
  try {
    return await readDeb(pin.name, archive);
  } catch (cause) {
    throw new ConfigurationError(`Cannot read the package ${name}: ${(cause as Error).message}`, { cause });
  }
};

const ENV = [
  'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  'SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt',
];

const addLayer = async (
  entries: readonly TarEntry[],
  { blobs, cache, signal }: BaseInput,
): Promise<readonly [Descriptor, diffId: string]> => {
  const { bytes, diffId } = await compressedLayer(await tarOf(entries), cache, signal);
  return [await blobs.add(MEDIA_TYPES.layer, bytes), diffId];
};

const imageOf = async (
  name: string,
  pins: ImagePins,
  mirrors: DebianMirrors,
  input: BaseInput,
): Promise<PlatformBase> => {
  const [node, packages] = [pins.node.platforms[name], pins.debian.platforms[name]];
  if (node === undefined || packages === undefined)
    throw new ConfigurationError(
      `Cannot build for ${name}: Node is pinned for ${Object.keys(pins.node.platforms).join(' and ')}; name others: --platform, or take a base from a registry: --base`,
    );
  const files: TarEntry[] = [];
  for (const pin of packages) files.push(...(await debianPackage(pin, pins.debian.snapshot, mirrors, input)));
  const sbom = textFile('nodejs/sbom.cdx.json', baseSbom(pins, name));
  const [debianLayer, debianId] = await addLayer([...files, authorities(files), ...ACCOUNTS], input);
  const [nodeLayer, nodeId] = await addLayer([...(await nodeFiles(node, pins.node.version, input)), sbom], input);
  const [os = '', architecture = ''] = name.split('/');
  const config: ImageConfig = {
    architecture,
    os,
    config: { Env: ENV },
    rootfs: { type: 'layers', diff_ids: [debianId, nodeId] },
    history: [`Debian ${pins.debian.release}`, `Node ${pins.node.version}`].map((text) => ({
      created: '1970-01-01T00:00:00Z',
      created_by: 'cdk8s-reconcile image',
      comment: text,
    })),
  };
  return { platform: { os, architecture }, config, layers: [debianLayer, nodeLayer] };
};

/**
 * Makes a base from the npm package of Node.js and packages of Debian, all with pinned versions.
 *
 * @param pins - the versions and digests of the parts
 * @throws {ConfigurationError} when a platform has no pins, or a package cannot be fetched or read, or does not have the pinned
 *   digest
 */
export const debianBase = async (
  pins: ImagePins,
  input: BaseInput,
  mirrors: DebianMirrors = MIRRORS,
): Promise<Base> => {
  const images: PlatformBase[] = [];
  for (const name of input.platforms) images.push(await imageOf(name, pins, mirrors, input));
  const libc = Object.values(pins.debian.platforms)
    .flat()
    .find(({ name }) => name === 'libc6');
  const text = `Node ${pins.node.version} of npm on Debian ${pins.debian.release} (libc6 ${libc?.version})`;
  return { kind: 'debian', text, images };
};
