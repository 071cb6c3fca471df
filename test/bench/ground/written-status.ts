/** The part of the status of a PodSet that shows whether an operator has written it. */
export interface WrittenStatus {
  readonly observedGeneration?: number;
}

/** Whether an operator has written a status. The schema gives new PodSets a status of the generation -1. */
export const isWritten = (status: WrittenStatus | undefined): boolean => (status?.observedGeneration ?? -1) >= 0;
