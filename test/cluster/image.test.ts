import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { UnreachableError } from '#lib/cli/verbs/image/registry/http.ts';
import {
  DEFAULT_PLATFORMS,
  type OciImageOptions,
  type WrittenImage,
  writeOciImage,
} from '#lib/cli/verbs/image/write-oci-image.ts';
import { crane, type JudgeRegistry, startJudgeRegistry } from '#test/image-judge/tool.ts';

let folder: string;
let registry: JudgeRegistry;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'image-'));
  await mkdir(join(folder, 'bundle'));
  await writeFile(join(folder, 'bundle/operator.mjs'), 'console.log(process.version)\n');
  registry = await startJudgeRegistry();
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Compressing a second Node takes a quarter of a minute. */
const PLATFORMS = process.env['SOAK'] === undefined ? ['linux/amd64'] : DEFAULT_PLATFORMS;

/** The download caches of this user serve all runs. */
const write = (name: string, base: string): Promise<WrittenImage> => {
  const options: OciImageOptions = {
    bundle: join(folder, 'bundle'),
    reference: `${registry.host}/${name}`,
    title: 'test',
    version: '1.0.0',
    base,
    push: true,
    env: process.env,
    platforms: PLATFORMS,
  };
  return writeOciImage(options);
};

/** I1 of the image: compressed bytes to pull. */
const MAX_BYTES = 60 * 2 ** 20;

it('an image of pinned packages, and one on top of it, are valid to a registry and a client of other authors', async (context) => {
  const image = await write('acme/operator:1.0.0', 'debian').catch((error: unknown) => {
    if (!(error instanceof UnreachableError)) throw error;
    process.stderr.write(`\n!!! SKIPPED: no image of pinned packages: ${error.message}\n\n`);
    return context.skip();
  });
  const reference = `${registry.host}/acme/operator@${image.digest}`;
  expect(await crane('validate', '--remote', reference)).toEqual({
    code: 0,
    text: expect.stringContaining(`PASS: ${reference}`),
  });
  expect((await crane('digest', `${registry.host}/acme/operator:1.0.0`)).text).toContain(image.digest);
  for (const { size, layers } of image.platforms) {
    expect(size).toBeLessThanOrEqual(MAX_BYTES);
    expect(layers).toHaveLength(3);
  }
  const onTop = await write('acme/other:1.0.0', reference);
  expect(await crane('validate', '--remote', `${registry.host}/acme/other@${onTop.digest}`)).toMatchObject({ code: 0 });
  // A copy by crane has the same digest.
  expect(await crane('copy', reference, `${registry.host}/acme/copy:1`)).toMatchObject({ code: 0 });
  expect((await crane('digest', `${registry.host}/acme/copy:1`)).text).toContain(image.digest);
});
