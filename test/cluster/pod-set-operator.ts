import { podSet } from '#constructs/pod-set/kind.ts';
import { run } from '#lib/runtime.ts';

// An operator that runs PodSet alone, so that no other kind adds to the counted rights and requests.
await run({ kinds: [podSet] });
process.exit(0);
