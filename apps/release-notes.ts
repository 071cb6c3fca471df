import { readFile } from 'node:fs/promises';

const fromRoot = (path: string): URL => new URL(`../${path}`, import.meta.url);

/** The texts that the notes of a release come from. */
export interface ReleaseSources {
  /** The text of CHANGELOG.md. */
  readonly changelog: string;
  /** The version in package.json. */
  readonly version: string;
}

/**
 * Returns the notes of a release: its chapter of the changelog, without the heading.
 *
 * @param tag - the tag of the release, such as `v0.1.0`
 * @throws {Error} when the tag is not `v` and the version, or the changelog has no finished chapter for the version
 */
export const releaseNotes = (tag: string, { changelog, version }: ReleaseSources): string => {
  if (tag !== `v${version}`)
    throw new Error(`The tag "${tag}" is not the version of package.json: expected "v${version}".`);
  const chapters = changelog.split(/^## /m).slice(1);
  const chapter = chapters.find((text) => text.split(/\s/, 1)[0] === version);
  const [heading = '', ...lines] = chapter?.split('\n') ?? [];
  const notes = lines.join('\n').trim();
  if (notes === '') throw new Error(`CHANGELOG.md has no notes for ${version}: expected a chapter "## ${version}".`);
  if (heading.includes('unreleased'))
    throw new Error(`CHANGELOG.md calls ${version} unreleased ("## ${heading}"): write the day of the release there.`);
  return `${notes}\n`;
};

if (import.meta.main) {
  const { version } = JSON.parse(await readFile(fromRoot('package.json'), 'utf8')) as { readonly version: string };
  const changelog = await readFile(fromRoot('CHANGELOG.md'), 'utf8');
  try {
    process.stdout.write(releaseNotes(process.argv[2] ?? '', { changelog, version }));
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
