import type { KubeApi } from '#lib/kube/interface/api.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import { type RecorderOptions, type StartedRecorder, startRecorder } from '#lib/loop/events/recorder.ts';
import { watchWrites } from '#lib/loop/events/writes-under-way.ts';

/** An API whose writes are counted, and the recorder that gives way to them. */
export interface Recording {
  readonly api: KubeApi;
  readonly recorder: StartedRecorder;
}

/** How events are written, and over what. */
export interface RecordingOptions extends Pick<RecorderOptions, 'log' | 'metrics' | 'instance' | 'events'> {
  /** Events never wait for a connection that other writes use. */
  readonly eventsApi: Pick<KubeApi, 'create' | 'patch'>;
}

/** Starts the recorder of events of this process, which gives way to the writes that go over the API that it returns. */
export const startRecording = (client: KubeApi, { eventsApi, ...options }: RecordingOptions): Recording => {
  const { api, isBusy } = watchWrites(client);
  const outside = { timers: systemTimers, random: Math.random };
  return { api, recorder: startRecorder({ ...options, ...outside, api: eventsApi, isBusy }) };
};
