#!/usr/bin/env node
import { nodeVersionProblem } from './node-version.ts';

const problem = nodeVersionProblem(process.versions.node);
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
} else {
  const { keepCompiled } = await import('./compile-cache.ts');
  // The cache is turned on first, because the cache stores only modules that are loaded later.
  keepCompiled();
  const { argumentsOf, processContext } = await import('./shell/process-context.ts');
  const { runCli } = await import('./program.ts');

  // The process ends by itself with this exit code. A call of `process.exit` would discard output that a pipe has not received
  // yet.
  process.exitCode = await runCli(argumentsOf(process.argv), processContext());
}
