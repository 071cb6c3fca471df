import { run } from '#lib/runtime.ts';
import { RELEASES, type ReleaseName } from './kinds.ts';

/** The operator of a release. The thread that runs conversions loads this module as well. */
await run({ kinds: RELEASES[process.env['RELEASE'] as ReleaseName] });
