import { podSet } from '#constructs/pod-set/kind.ts';
import { run } from '#lib/runtime.ts';

// An operator that runs PodSet alone, so that rights and requests can be counted to which no other kind adds.
await run({ kinds: [podSet] });
process.exit(0);
