import type { KubeApi } from '#lib/kube/interface/api.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import { type RecorderOptions, type StartedRecorder, startRecorder } from '#lib/loop/events/recorder.ts';
import { watchWrites } from '#lib/loop/events/writes-under-way.ts';

/** An API that counts its writes, and the recorder that yields to them. */
export interface Recording {
  readonly api: KubeApi;
  readonly recorder: StartedRecorder;
}

/** The options of events, and their API. */
export interface RecordingOptions extends Pick<RecorderOptions, 'log' | 'metrics' | 'instance' | 'events'> {
  /** Events never wait for a connection that other writes use. */
  readonly eventsApi: Pick<KubeApi, 'create' | 'patch'>;
}

/** Starts the recorder of events of this process, which yields to writes over the returned API. */
export const startRecording = (client: KubeApi, { eventsApi, ...options }: RecordingOptions): Recording => {
  const { api, isBusy } = watchWrites(client);
  const outside = { timers: systemTimers, random: Math.random };
  return { api, recorder: startRecorder({ ...options, ...outside, api: eventsApi, isBusy }) };
};
