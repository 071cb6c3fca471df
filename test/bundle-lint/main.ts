import { startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle } from '#test/control-plane/install.ts';
import { lintBundle, lintWithCheckov } from './lint.ts';

/** Runs every linter over the committed files, prints the findings, and exits with 1 if there are any. */
await using plane = await startControlPlane({ controllers: false, scheduler: false, kwok: false, audit: false });
await installBundle(plane);
const { faults, valid, all } = await lintBundle(plane);
const found = [...faults, ...(await lintWithCheckov())];
const summary = `${valid} of ${all} objects conform to the server's schemas; findings without an exception: ${found.length}`;
process.stdout.write(`${[...found, summary].join('\n')}\n`);
process.exitCode = found.length === 0 && valid === all ? 0 : 1;
