/** How the pods of a component are replaced of which one works: those that choose it themselves one after the other. */
export function rolloutStrategy(replicas: number): Record<string, unknown> {
  return replicas > 1
    ? { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
    : { type: 'Recreate' }
}
