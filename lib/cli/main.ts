#!/usr/bin/env node
import { nodeVersionProblem } from './node-version.ts';

const problem = nodeVersionProblem(process.versions.node);
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
} else {
  const { keepCompiled } = await import('./compile-cache.ts');
  // The cache must be on before other modules are loaded.
  keepCompiled();
  const { argumentsOf, processContext } = await import('./shell/process-context.ts');
  const { runCli } = await import('./program.ts');

  // `process.exit` would discard output that a pipe has not received yet.
  process.exitCode = await runCli(argumentsOf(process.argv), processContext());
}
