import type { DebianPin, ImagePins, NodePin } from './pins.ts';

const hexOf = (integrity: string): string => Buffer.from(integrity.replace(/^sha\d+-/, ''), 'base64').toString('hex');

const component = (purl: string, fields: object): object => ({ type: 'library', 'bom-ref': purl, ...fields, purl });

const debianComponent = (release: string, { name, version, path, sha256 }: DebianPin): object => {
  const [, architecture = ''] = /_(\w+)\.deb$/.exec(path) ?? [];
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}&distro=debian-${release}`;
  return component(purl, { name, version, hashes: [{ alg: 'SHA-256', content: sha256 }] });
};

const nodeComponent = (version: string, pin: NodePin): object =>
  component(`pkg:npm/${pin.package}@${version}`, {
    type: 'application',
    name: 'node',
    version,
    // The name of Node in the entries of the National Vulnerability Database.
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    hashes: [{ alg: 'SHA-512', content: hexOf(pin.integrity) }],
  });

/**
 * The bill of materials of a base: Node and the packages of Debian. The bill of materials of the operator is a separate file.
 *
 * Guarantees: the same pins give the same bytes.
 *
 * @returns CycloneDX 1.6 as JSON
 */
export const baseSbom = ({ node, debian }: ImagePins, platform: string): string => {
  const pin = node.platforms[platform];
  const components = [
    ...(pin === undefined ? [] : [nodeComponent(node.version, pin)]),
    ...(debian.platforms[platform] ?? []).map((one) => debianComponent(debian.release, one)),
  ];
  const metadata = {
    component: { type: 'container', name: `node-on-debian-${debian.release}`, version: node.version },
  };
  return `${JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata, components }, null, 2)}\n`;
};
