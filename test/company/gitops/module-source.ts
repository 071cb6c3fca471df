import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runGo } from '#test/control-plane/go.ts';

/** A module, and the destination of its copy. */
export interface ModuleSource {
  /** Such as `github.com/fluxcd/source-controller@v1.9.6`. */
  readonly module: string;
  /** Arguments of `go mod edit`; none leaves go.mod as it is. */
  readonly edits: readonly string[];
  /** A scratch folder, which also takes Go's temporary files. */
  readonly scratch: string;
}

/** Downloads a module. @returns its folder in the module cache, which is read-only */
export const downloadModule = async (
  go: string,
  { module, scratch }: Pick<ModuleSource, 'module' | 'scratch'>,
): Promise<string> => {
  const output = await runGo(go, ['mod', 'download', '-json', module], { folder: scratch, scratch });
  return (JSON.parse(output) as { readonly Dir: string }).Dir;
};

/**
 * Copies the source of a Go module and edits its go.mod, since the module cache is read-only.
 *
 * @returns the folder of the copy
 * @throws {ControlPlaneError} BUILD_FAILED with the end of Go's output
 */
export const copyModuleSource = async (go: string, { module, edits, scratch }: ModuleSource): Promise<string> => {
  const folder = join(scratch, 'source');
  await cp(await downloadModule(go, { module, scratch }), folder, { recursive: true });
  await promisify(execFile)('chmod', ['-R', 'u+w', folder]);
  if (edits.length > 0) await runGo(go, ['mod', 'edit', ...edits], { folder, scratch });
  return folder;
};
