import { parseArgs } from 'node:util';
import { allArtifacts, provideArtifacts } from './binaries.ts';
import { startControlPlane } from './control-plane.ts';
import { runCommand, serveUntilInterrupted } from './serve.ts';

const USAGE = `Usage: npm run control-plane [-- --prepare]

Runs a Kubernetes control plane until Ctrl-C, and prints its kubeconfig. The first time it is built, which takes minutes.

  --prepare   build its programs, print their paths, and end
  --help      this text`;

const options = {
  prepare: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

async function prepare(): Promise<void> {
  for (const [name, path] of Object.entries(await provideArtifacts(allArtifacts))) console.log(`${name}: ${path}`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  if (values.help) console.log(USAGE);
  else await (values.prepare ? prepare() : serveUntilInterrupted(startControlPlane));
}

await runCommand(main, USAGE);
