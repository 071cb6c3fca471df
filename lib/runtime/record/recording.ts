import type { KubeApi } from '#lib/kube/interface/api.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import { type RecorderOptions, type StartedRecorder, startRecorder } from '#lib/loop/events/recorder.ts';
import { watchWrites } from '#lib/loop/events/writes-under-way.ts';

/** A client that counts its writes, and the recorder of events, which waits for these writes. */
export interface Recording {
  readonly api: KubeApi;
  readonly recorder: StartedRecorder;
}

/** Options of {@link startRecording}. */
export interface RecordingOptions extends Pick<RecorderOptions, 'log' | 'metrics' | 'instance' | 'events'> {
  /** The client for events. It has its own connections, so that events do not wait for other writes. */
  readonly eventsApi: Pick<KubeApi, 'create' | 'patch'>;
}

/** Starts the recorder of events of this process. It delays less important events while writes over the returned client run. */
export const startRecording = (client: KubeApi, { eventsApi, ...options }: RecordingOptions): Recording => {
  const { api, isBusy } = watchWrites(client);
  const outside = { timers: systemTimers, random: Math.random };
  return { api, recorder: startRecorder({ ...options, ...outside, api: eventsApi, isBusy }) };
};
