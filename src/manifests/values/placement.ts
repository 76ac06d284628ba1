type Fields = Record<string, unknown>

/** On which nodes the pods of a component go. */
export interface Placement {
  affinity: Fields | undefined
  topologySpreadConstraints: Fields[] | undefined
}

/**
 * Keeps the pods of a component apart, on nodes and in zones, as far as there are any: a small host takes them all the
 * same. A pod alone goes anywhere; a user's own affinity takes the place of ours.
 */
export function placementOf(
  selector: Record<string, string>,
  { affinity, replicas }: { replicas: number; affinity: Fields | undefined },
): Placement {
  if (replicas < 2) {
    return { affinity, topologySpreadConstraints: undefined }
  }
  const labelSelector = { matchLabels: selector }
  return {
    affinity: affinity ?? {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 100,
            podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector },
          },
        ],
      },
    },
    topologySpreadConstraints: ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].map(
      (topologyKey) => ({
        maxSkew: 1,
        topologyKey,
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector,
      }),
    ),
  }
}
