import type { KubeApi } from '#lib/kube/interface/api.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import { type RecorderOptions, type StartedRecorder, startRecorder } from '#lib/loop/events/recorder.ts';
import { watchWrites } from '#lib/loop/events/writes-under-way.ts';

/** The API client of the loop, and the event recorder, which delays less important events while the client writes. */
export interface Recording {
  readonly api: KubeApi;
  readonly recorder: StartedRecorder;
}

/** Options of {@link startRecording}. */
export interface RecordingOptions extends Pick<RecorderOptions, 'log' | 'metrics' | 'instance' | 'events'> {
  /** The client for events. Its connections are separate, so that events do not delay other writes. */
  readonly eventsApi: Pick<KubeApi, 'create' | 'patch'>;
}

/** Starts the event recorder. The recorder delays less important events while the returned client writes. */
export const startRecording = (client: KubeApi, { eventsApi, ...options }: RecordingOptions): Recording => {
  const { api, isBusy } = watchWrites(client);
  const outside = { timers: systemTimers, random: Math.random };
  return { api, recorder: startRecorder({ ...options, ...outside, api: eventsApi, isBusy }) };
};
