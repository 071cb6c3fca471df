import { parseArgs } from 'node:util';
import { ControlPlaneError } from '#test/control-plane/error.ts';
import { runCommand, serveUntilInterrupted } from '#test/control-plane/serve.ts';
import { startRealNode } from './node.ts';
import { whyImpossible } from './place/possible.ts';
import { provideNodePrograms } from './programs/programs.ts';

const USAGE = `Usage: npm run real-node [-- --prepare]

Runs a real Kubernetes node until Ctrl-C, and prints its kubeconfig. The first time it is built, which takes minutes.

  --layout <folder>   an OCI image layout whose images the node can pull; can be given several times
  --until-input-ends  stop when standard input ends, as it does when the process at its other end ends
  --prepare           build its programs, print their paths, and end
  --help              this text`;

const options = {
  layout: { type: 'string', multiple: true, default: [] as string[] },
  'until-input-ends': { type: 'boolean', default: false },
  prepare: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

interface ServeOptions {
  readonly layout: readonly string[];
  readonly 'until-input-ends': boolean;
}

/** Runs a node until Ctrl-C. */
const serve = async ({ layout, 'until-input-ends': untilInputEnds }: ServeOptions): Promise<void> => {
  // Read from the beginning: the process at the other end may end during the start.
  if (untilInputEnds) process.stdin.resume().once('end', () => process.kill(process.pid, 'SIGTERM'));
  await serveUntilInterrupted(async () => startRealNode({ layouts: layout }));
};

const prepare = async (): Promise<void> => {
  const { kubernetes, folder } = await provideNodePrograms();
  for (const [name, path] of Object.entries(kubernetes)) console.log(`${name}: ${path}`);
  console.log(`containerd, runc, CNI plugins, Debian packages: ${folder}`);
};

const main = async (): Promise<void> => {
  const { values } = parseArgs({ options });
  if (values.help) return console.log(USAGE);
  const reason = await whyImpossible();
  if (reason !== undefined) throw new ControlPlaneError('NODE_IMPOSSIBLE', `Cannot start a real node: ${reason}`);
  await (values.prepare ? prepare() : serve(values));
};

await runCommand(main, USAGE);
