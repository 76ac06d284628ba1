import type { KubeClient } from '../client/client.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { holderOf, type LeaseClaim, leasesPath, renewTimeOf } from './lease-object.ts'

/** How long to wait for the first sight of a Lease that may be gone since it was seen, in milliseconds. */
const FIRST_SIGHT_MS = 1000

/** A Lease of so long ago is nobody's, however the clocks differ; in durations of it. */
const LONG_AGO = 8

/**
 * Watches a Lease until nobody holds it any more. Clocks of two machines differ: so what counts is that nothing was seen
 * to happen to it for as long as it lasts.
 *
 * @returns the Lease that its holder left, undefined when it was let go.
 */
export async function waitForFreeLease(
  api: Pick<KubeClient, 'watch'>,
  claim: LeaseClaim,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const { metadata, times } = claim
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), Math.min(FIRST_SIGHT_MS, times.durationMs))
  let last: KubeObject | undefined
  try {
    const lease = { fieldSelector: `metadata.name=${metadata.name}` }
    const either = AbortSignal.any([signal, silence.signal])
    for await (const { object, type } of api.watch(leasesPath(claim), {
      ...lease,
      signal: either,
    })) {
      if (type === 'DELETED') {
        return undefined
      }
      last = object
      if (isAbandoned(object, claim)) {
        return object
      }
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), times.durationMs)
    }
  } catch (error) {
    signal.throwIfAborted()
    if (!silence.signal.aborted) {
      throw error
    }
  } finally {
    clearTimeout(timer)
  }
  return last
}

/** Tells a Lease that nobody holds for sure. */
export function isAbandoned(
  lease: KubeObject,
  { isDead, now, times }: Pick<LeaseClaim, 'isDead' | 'now' | 'times'>,
): boolean {
  const holder = holderOf(lease)
  const renewTime = renewTimeOf(lease)
  return (
    holder === undefined ||
    renewTime === undefined ||
    isDead(holder) ||
    now().getTime() - renewTime.getTime() > LONG_AGO * times.durationMs
  )
}
