import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join, relative } from 'node:path';

/**
 * Preloaded into an operator: maps the folder of a pod's credentials to another folder (`BENCH_SERVICE_ACCOUNT_DIR`). So a
 * process on this machine finds its credentials as in a pod.
 */
const MOUNTED = '/var/run/secrets/kubernetes.io/serviceaccount';

const folder = process.env['BENCH_SERVICE_ACCOUNT_DIR'] ?? MOUNTED;
const { readFile } = fs;

const shown = (path: unknown): unknown =>
  typeof path === 'string' && path.startsWith(`${MOUNTED}/`) ? join(folder, relative(MOUNTED, path)) : path;

fs.readFile = ((path: never, options: never) => readFile(shown(path) as never, options)) as typeof fs.readFile;
syncBuiltinESMExports();
