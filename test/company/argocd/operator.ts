import { run } from '#lib/runtime.ts';
import { kindsOf, type ReleaseName } from './kinds.ts';

/** The operator of a release. The thread that runs conversions loads this module as well. */
await run({ kinds: kindsOf(process.env['RELEASE'] as ReleaseName) });
