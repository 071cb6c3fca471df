import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type GoTool, provideGoTool, runGoTool, type Verdict } from '#test/control-plane/go-tool.ts';

const toolOf = (name: 'crane' | 'registry'): GoTool => ({
  name,
  goPackage: `github.com/google/go-containerregistry/cmd/${name}`,
  goFolder: join(import.meta.dirname, 'go'),
  flags: ['-mod=readonly', '-buildvcs=false', '-ldflags=-s -w'],
});

/**
 * Finds crane and its registry in the cache, and builds them when they are not there: half a minute, once.
 *
 * @throws {ControlPlaneError} without Go
 */
export const provideImageJudge = async (): Promise<void> => {
  for (const name of ['crane', 'registry'] as const) await provideGoTool(toolOf(name));
};

/** Runs crane, a client of registries by other authors. */
export const crane = async (...args: readonly string[]): Promise<Verdict> => runGoTool(toolOf('crane'), args);

const freePort = async (): Promise<number> => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

/** A registry by other authors, in memory. */
export interface JudgeRegistry extends AsyncDisposable {
  /** Host and port. */
  readonly host: string;
}

/** Starts the registry, and waits until it listens. */
export const startJudgeRegistry = async (): Promise<JudgeRegistry> => {
  const port = await freePort();
  const child = spawn(await provideGoTool(toolOf('registry')), ['-port', String(port)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // Its first line: "serving on port …".
  await once(child.stderr, 'data');
  child.stderr.resume();
  return {
    host: `localhost:${port}`,
    [Symbol.asyncDispose]: async () => {
      const closed = once(child, 'close');
      child.kill();
      await closed;
    },
  };
};
