import { join } from 'node:path';
import { type GoTool, provideGoTool, runGoTool, type ToolInput, type Verdict } from '#test/control-plane/go-tool.ts';

const tool: GoTool = {
  name: 'promtool',
  goPackage: 'github.com/prometheus/prometheus/cmd/promtool',
  goFolder: join(import.meta.dirname, 'go'),
  // Service discovery is half of the program, and is not needed.
  flags: ['-mod=readonly', '-buildvcs=false', '-tags=remove_all_sd', '-ldflags=-s -w'],
};

/**
 * Finds Prometheus' promtool in the cache, and builds it when it is not there: three minutes of one core, once.
 *
 * @throws {ControlPlaneError} without Go
 */
export const providePromtool = async (): Promise<string> => provideGoTool(tool);

/** Runs promtool in a folder of its own with these files, which may be JSON: YAML is a superset. */
export const promtool = async (args: readonly string[], input?: ToolInput): Promise<Verdict> =>
  runGoTool(tool, args, input);
