#!/usr/bin/env node
import { keepCompiled } from './compile-cache.ts';

// Before anything else is loaded.
keepCompiled();
const { argumentsOf, processContext } = await import('./process-context.ts');
const { runCli } = await import('./program.ts');

// Not `process.exit`: what was written to a pipe may still be on its way.
process.exitCode = await runCli(argumentsOf(process.argv), processContext());
