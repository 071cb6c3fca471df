import { after, defineKind, type Effect, progressing, ready, s, stalled } from 'cdk8s-reconcile';

export const watchdog = defineKind({
  group: 'demo.example.com',
  version: 'v1alpha1',
  kind: 'Watchdog',
  description: 'Watchdog asks a URL again and again.',
  spec: s.object({
    url: s.string({ minLength: 1, maxLength: 2048, description: 'What is asked; its host must be allowed.' }),
    everySeconds: s.durationSeconds({ minimum: 10, maximum: 86_400, default: 60, description: 'How often.' }),
    credentialsName: s.optional(s.secretName({ description: 'A Secret with the Authorization header.' })),
  }),
  status: s.object({
    calls: s.int64({ minimum: 0, description: 'How often it was asked.' }),
    answer: s.string({ maxLength: 100, description: 'What came of the last call.' }),
    nextTime: s.optional(s.string({ maxLength: 40, format: 'date-time', description: 'When it is asked again.' })),
  }),
  owns: [],
  desired({ resource, outcomes, clock }) {
    const { url, everySeconds, credentialsName } = resource.spec;
    const { calls = 0, answer = '', nextTime } = resource.status ?? {};
    const state = stateOf(answer);
    const status = { calls, answer, ...(nextTime !== undefined && { nextTime }) };
    // Not yet. The clock remembers the instant, and the loop calls the function again at that time.
    if (nextTime !== undefined && !clock.reached(nextTime)) return { children: [], status, state };

    // The nth call has a key of its own; under one key a request is sent once.
    const key = `call/${calls + 1}`;
    const outcome = outcomes.http(key);
    if (outcome.state === 'none' || outcome.state === 'running') {
      const get: Effect = {
        effect: 'http',
        key,
        request: {
          method: 'GET',
          url,
          ...(credentialsName !== undefined && { credentials: { secretName: credentialsName } }),
        },
        timeoutSeconds: 10,
        retries: 2,
      };
      return { children: [], status, state, effects: [get] };
    }

    // The count is stored in the pass that sees the outcome; after that the loop forgets the outcome.
    const said = outcome.state === 'succeeded' ? String(outcome.value.status) : outcome.reason;
    return {
      children: [],
      status: { calls: calls + 1, answer: said, nextTime: after(outcome.at, everySeconds) },
      state: stateOf(said),
    };
  },
  // Called instead of desired() while the resource is being deleted, until nothing is left to do.
  finalize({ resource, outcomes }) {
    const { calls = 0, answer = '' } = resource.status ?? {};
    const { state } = outcomes.http('goodbye');
    const isTold = state === 'succeeded' || state === 'failed';
    const goodbye: Effect = {
      effect: 'http',
      key: 'goodbye',
      request: { method: 'POST', url: resource.spec.url, body: JSON.stringify({ calls }) },
      timeoutSeconds: 10,
      retries: 2,
    };
    return {
      children: [],
      status: { calls, answer },
      state: progressing('SayingGoodbye', 'the server is informed that it gets no more requests'),
      effects: isTold ? [] : [goodbye],
    };
  },
});

const stateOf = (answer: string) => {
  if (answer === '') return progressing('NotAskedYet', 'the first answer is awaited');
  return answer === '200'
    ? ready('Answers', 'the last answer was 200')
    : stalled('NoAnswer', `the last answer: ${answer}`);
};
