import { createWriteStream } from 'node:fs';
import { chmod, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pack } from 'tar-stream';
import { ConfigurationError } from '#lib/errors.ts';
import { privateFolder } from '#lib/process/private-folder.ts';
import { cannotWrite } from '../../../shell/write-file.ts';
import { type Descriptor, type ImageIndex, MEDIA_TYPES } from './descriptor.ts';

/** The annotation of layouts that this command wrote. The command may replace these layouts. */
const OWN = 'cdk8s-reconcile/written-by';

/**
 * Writes the two files `index.json` and `oci-layout`, which turn a folder with blobs into a layout.
 *
 * @param folder - the folder that contains `blobs`
 * @param image - the only image of the layout
 * @param names - the `tag` and the `whole` name of the image
 * @see https://github.com/opencontainers/image-spec/blob/v1.1.1/image-layout.md
 */
export const writeLayoutRoot = async (
  folder: string,
  image: Descriptor,
  names: { readonly tag: string; readonly whole: string },
): Promise<void> => {
  const annotations = { 'org.opencontainers.image.ref.name': names.tag, 'io.containerd.image.name': names.whole };
  const index: ImageIndex = {
    schemaVersion: 2,
    mediaType: MEDIA_TYPES.index,
    manifests: [{ ...image, annotations }],
    annotations: { [OWN]: 'cdk8s-reconcile image' },
  };
  await writeFile(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  await writeFile(join(folder, 'index.json'), JSON.stringify(index));
};

const isOwn = async (folder: string): Promise<boolean> => {
  try {
    const { annotations } = JSON.parse(await readFile(join(folder, 'index.json'), 'utf8')) as Partial<ImageIndex>;
    return annotations?.[OWN] !== undefined;
  } catch {
    return false;
  }
};

const filesIn = async (folder: string): Promise<readonly string[] | undefined> => {
  try {
    return await readdir(folder);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    if ((cause as NodeJS.ErrnoException).code === 'ENOTDIR')
      throw new ConfigurationError(`Cannot write ${folder}: it is a file; name another folder: --oci`, { cause });
    throw cannotWrite(folder, cause, 'folder');
  }
};

/**
 * Checks that a layout may be written to a folder: the folder is missing, is empty, or has an earlier layout of this command.
 *
 * @throws {ConfigurationError} when the folder has other files, is a file, or cannot be read
 */
export const checkLayoutTarget = async (folder: string): Promise<void> => {
  const files = await filesIn(folder);
  if (files === undefined || files.length === 0 || (await isOwn(folder))) return;
  throw new ConfigurationError(
    `Cannot write ${folder}: it exists, and this command did not make it; remove it, or name another folder: --oci`,
  );
};

/**
 * Checks that an archive may be written to a path.
 *
 * @throws {ConfigurationError} when the path is a folder
 */
export const checkArchiveTarget = async (path: string): Promise<void> => {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() === true) throw cannotWrite(path, Object.assign(new Error('EISDIR'), { code: 'EISDIR' }));
};

/** Moves a complete layout to its target. An earlier layout there is removed. */
export const placeLayout = async (staged: string, folder: string): Promise<void> => {
  try {
    await chmod(staged, 0o755);
    // A folder can replace only an empty folder, so the earlier layout is moved away first.
    const aside = `${staged}old`;
    const hadEarlier = await rename(folder, aside).then(
      () => true,
      () => false,
    );
    try {
      await rename(staged, folder);
    } catch (cause) {
      if (hadEarlier) await rename(aside, folder);
      throw cause;
    }
    await rm(aside, { recursive: true, force: true });
  } catch (cause) {
    throw cannotWrite(folder, cause, 'folder');
  }
};

const blobsOf = async (folder: string): Promise<readonly string[]> =>
  (await readdir(join(folder, 'blobs', 'sha256'))).toSorted().map((name) => `blobs/sha256/${name}`);

/**
 * Writes a layout as one file. `podman load`, `ctr images import` and `kind load image-archive` can read the file.
 *
 * @param layout - the folder of the layout
 */
export const writeArchive = async (layout: string, path: string): Promise<void> => {
  try {
    const staging = await privateFolder('archive', dirname(path));
    try {
      const [archive, partial] = [pack(), join(staging.path, 'image.tar')];
      const fill = async (): Promise<void> => {
        for (const name of [...(await blobsOf(layout)), 'index.json', 'oci-layout'])
          archive.entry({ name, mode: 0o644, mtime: new Date(0) }, await readFile(join(layout, name)));
        archive.finalize();
      };
      await Promise.all([pipeline(archive, createWriteStream(partial)), fill()]);
      await rename(partial, path);
    } finally {
      await staging.remove();
    }
  } catch (cause) {
    throw cannotWrite(path, cause);
  }
};
