import { join } from 'node:path';
import { type GoTool, provideGoTool, runGoTool, type Verdict } from '#test/control-plane/go-tool.ts';

const tool: GoTool = {
  name: 'actionlint',
  goPackage: 'github.com/rhysd/actionlint/cmd/actionlint',
  goFolder: join(import.meta.dirname, 'go'),
  flags: ['-mod=readonly', '-buildvcs=false', '-ldflags=-s -w'],
};

/**
 * Finds actionlint in the cache, and builds it when it is not there: half a minute, once.
 *
 * @throws {ControlPlaneError} without Go
 */
export const provideActionlint = async (): Promise<string> => provideGoTool(tool);

/** Lints the text of a GitHub workflow, without the linters of shell and Python that the machine may have. */
export const lintWorkflow = async (text: string): Promise<Verdict> =>
  runGoTool(tool, ['-no-color', '-shellcheck=', '-pyflakes=', '-'], { input: text });
