type Fields = Record<string, unknown>

/**
 * Spreads pods over nodes and zones if possible: a small host runs them too. A single pod may run anywhere, and the
 * user's own affinity replaces this one.
 */
export function placementOf(
  selector: Record<string, string>,
  { affinity, replicas }: { replicas: number; affinity: Fields | undefined },
): { affinity: Fields | undefined; topologySpreadConstraints: Fields[] | undefined } {
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

/** How a rollout replaces pods: several replicas one after the other, a single one before its successor starts. */
export function rolloutStrategy(replicas: number): Fields {
  return replicas > 1
    ? { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
    : { type: 'Recreate' }
}
