#!/usr/bin/env node
import { nodeVersionProblem } from './node-version.ts';

const problem = nodeVersionProblem(process.versions.node);
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
} else {
  const { keepCompiled } = await import('./compile-cache.ts');
  // Before anything else is loaded.
  keepCompiled();
  const { argumentsOf, processContext } = await import('./shell/process-context.ts');
  const { runCli } = await import('./program.ts');

  // Not `process.exit`: it would drop output that a pipe has not taken yet.
  process.exitCode = await runCli(argumentsOf(process.argv), processContext());
}
