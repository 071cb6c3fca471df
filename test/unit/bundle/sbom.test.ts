import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sbomOf } from '#apps/bundle/sbom.ts';
import { bundleOperator } from '#apps/bundle.ts';
import { repository } from '#test/architecture/repository.ts';

interface Component {
  readonly type: string;
  readonly name: string;
  readonly version?: string;
  readonly purl?: string;
  readonly licenses?: readonly object[];
  readonly hashes: readonly { readonly alg: string; readonly content: string }[];
}
interface Bom {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly component: Component & { readonly components: readonly Component[] } };
  readonly components: readonly Component[];
}

/** Maximum compressed size of the bundle, which a node pulls before the operator can start. */
const BUDGET_BYTES = 2.5 * 1024 * 1024;

let folder: string;
let sizes: Readonly<Record<string, number>>;
let bom: Bom;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sbom-'));
  sizes = await bundleOperator(folder);
  bom = JSON.parse(await readFile(join(folder, 'sbom.cdx.json'), 'utf8')) as Bom;
}, 300_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the bundle', () => {
  it('stays small', () => {
    expect(Object.values(sizes).reduce((sum, size) => sum + size, 0)).toBeLessThan(BUDGET_BYTES);
  });

  it('says with which bytes it came', async () => {
    const { component } = bom.metadata;
    expect(component).toMatchObject({ type: 'application', name: 'cdk8s-reconcile' });
    const named = component.components.map(({ name }) => name);
    expect(named).toEqual(
      Object.keys(sizes)
        .filter((name) => name !== 'sbom.cdx.json')
        .toSorted(),
    );
    for (const { name, hashes } of component.components) {
      const content = createHash('sha256')
        .update(await readFile(join(folder, name)))
        .digest('hex');
      expect(hashes).toEqual([{ alg: 'SHA-256', content }]);
    }
  });

  it('lists the packages that are in it, with version, license and hash, and none that only made it', async () => {
    const lock = JSON.parse(await readFile(join(repository, 'package-lock.json'), 'utf8')) as {
      packages: Readonly<Record<string, { version?: string; dev?: boolean }>>;
    };
    expect(bom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' });
    const names = bom.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['pino', 'undici']));
    expect(names).toEqual([...new Set(names)].toSorted());
    for (const { type, name, version, purl, licenses, hashes } of bom.components) {
      expect(lock.packages[`node_modules/${name}`]).toMatchObject({ version });
      expect(lock.packages[`node_modules/${name}`]?.dev ?? false).toBe(false);
      expect({ type, purl }).toEqual({ type: 'library', purl: `pkg:npm/${name.replace('@', '%40')}@${version}` });
      expect(licenses).toHaveLength(1);
      expect(hashes).toEqual([{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }]);
    }
  });
});

describe('sbomOf()', () => {
  it('leaves out a package of which nothing is left', async () => {
    const outputs = {
      'a.mjs': {
        inputs: {
          'node_modules/pino/pino.js': { bytesInOutput: 0 },
          'node_modules/undici/index.js': { bytesInOutput: 1 },
          'lib/errors.ts': { bytesInOutput: 9 },
        },
      },
    };
    const text = await sbomOf({ metafile: { outputs }, files: {}, root: repository });
    expect((JSON.parse(text) as Bom).components.map(({ name }) => name)).toEqual(['undici']);
  });
});
