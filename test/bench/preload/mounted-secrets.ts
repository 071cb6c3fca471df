import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join, relative } from 'node:path';

/**
 * Loaded into an operator before anything else: shows it a folder (`BENCH_SERVICE_ACCOUNT_DIR`) in the place where a kubelet
 * mounts the credentials of a pod. So a process on this machine starts as it does in a pod, without client-node.
 */
const MOUNTED = '/var/run/secrets/kubernetes.io/serviceaccount';

const folder = process.env['BENCH_SERVICE_ACCOUNT_DIR'] ?? MOUNTED;
const { readFile } = fs;

const shown = (path: unknown): unknown =>
  typeof path === 'string' && path.startsWith(`${MOUNTED}/`) ? join(folder, relative(MOUNTED, path)) : path;

fs.readFile = ((path: never, options: never) => readFile(shown(path) as never, options)) as typeof fs.readFile;
syncBuiltinESMExports();
