import type { KubeApi } from '#lib/kube/api.ts';
import { systemTimers } from '#lib/kube/timers.ts';
import { type Recorder, type RecorderOptions, startRecorder } from '#lib/loop/events/recorder.ts';
import { watchWrites } from '#lib/loop/events/writes-under-way.ts';

/** An API whose writes come first, and the recorder that waits for them. */
export interface Recording {
  readonly api: KubeApi;
  readonly recorder: Recorder;
}

/** Starts the recorder of events of this process, behind all writes that go over the API that it returns. */
export const startRecording = (
  client: KubeApi,
  options: Pick<RecorderOptions, 'log' | 'metrics' | 'instance'>,
): Recording => {
  const { api, isBusy } = watchWrites(client);
  const outside = { timers: systemTimers, random: Math.random };
  return { api, recorder: startRecorder({ ...options, ...outside, api: client, isBusy }) };
};
