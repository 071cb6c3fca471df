interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** A PodSet as the API server gives it, as far as tests look at it. */
export interface PodSetBody {
  readonly metadata: { readonly name: string; readonly uid: string; readonly generation: number };
  readonly spec: { readonly replicas: number };
  readonly status?: {
    readonly observedGeneration: number;
    readonly replicas: number;
    readonly podNames: readonly string[];
    readonly selector: string;
    readonly conditions: readonly Condition[];
  };
}
