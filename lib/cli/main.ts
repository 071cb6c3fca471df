#!/usr/bin/env node
import { processContext } from './process-context.ts';
import { runCli } from './program.ts';

// Not `process.exit`: what was written to a pipe may still be on its way.
process.exitCode = await runCli(process.argv.slice(2), processContext());
