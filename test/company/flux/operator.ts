import { run } from '#lib/runtime.ts';
import { RELEASES, type ReleaseName } from './kinds.ts';

/** The operator of a release, which the thread of conversions loads, too. */
await run({ kinds: RELEASES[process.env['RELEASE'] as ReleaseName] });
