import { parseArgs } from 'node:util';
import { runCommand } from '#test/control-plane/serve.ts';
import { pinKubernetes } from './kube-module.ts';
import { writePage } from './page.ts';
import { failuresOf, readResults, withResult, writeResults } from './results.ts';
import { runTarget } from './run.ts';
import { targetsOf } from './target.ts';

const USAGE = `Usage: npm run test:versions [-- options]

Runs the tests that depend on a version, on every version of Kubernetes and Node.js. The first run builds each version of
Kubernetes, which takes some ten minutes of two cores.

  --kubernetes <minor>  only this version, such as 1.33; can be given several times
  --node <version>      only this version, such as 26; can be given several times
  --save                write the results to test/versions/results.json and docs/compatibility.md
  --pin <version>       add this version of Kubernetes, such as 1.34.4, or move its minor version to it, and end
  --help                this text`;

const options = {
  kubernetes: { type: 'string', multiple: true },
  node: { type: 'string', multiple: true },
  save: { type: 'boolean', default: false },
  pin: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const run = async ({
  save,
  ...choice
}: {
  readonly kubernetes?: string[];
  readonly node?: string[];
  readonly save: boolean;
}): Promise<void> => {
  const today = new Date().toISOString().slice(0, 10);
  const failures: string[] = [];
  for (const target of targetsOf(choice)) {
    const result = await runTarget(target, today);
    failures.push(...failuresOf(result).map((failure) => `${target.subject} ${result.version}: ${failure}`));
    if (!save) continue;
    // Saved after each version, so that an interrupted run keeps the results of complete versions.
    const results = withResult(readResults(), target, result);
    writeResults(results);
    writePage(results);
  }
  print(['', ...failures, failures.length === 0 ? 'Passed on all versions.' : `${failures.length} failed`].join('\n'));
  if (failures.length > 0) process.exitCode = 1;
};

const main = async (): Promise<void> => {
  const { values } = parseArgs({ options });
  if (values.help) print(USAGE);
  else if (values.pin === undefined) await run(values);
  else print(`Written: ${await pinKubernetes(values.pin)}`);
};

await runCommand(main, USAGE);
