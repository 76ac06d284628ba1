import type { KubeClient } from '../client/client.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { holderOf, type LeaseClaim, leasesPath, renewTimeOf } from './lease-object.ts'

/** How long to wait for the first event of a Lease that may have been deleted meanwhile, in milliseconds. */
const FIRST_EVENT_MS = 1000

/** After so many of its durations a Lease counts as abandoned: ten minutes of 15 seconds, by which clocks do not differ. */
const LONG_AGO = 40

/**
 * Watches a Lease until it has no holder, and returns it; undefined when its holder released it. Clocks differ between
 * machines, so it expires when no change was observed for its duration.
 */
export async function waitForFreeLease(
  api: Pick<KubeClient, 'watch'>,
  claim: LeaseClaim,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const { metadata, times } = claim
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), Math.min(FIRST_EVENT_MS, times.durationMs))
  let last: KubeObject | undefined
  try {
    const either = AbortSignal.any([signal, silence.signal])
    const options = { fieldSelector: `metadata.name=${metadata.name}`, signal: either }
    for await (const { object, type } of api.watch(leasesPath(claim), options)) {
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

/** Whether a Lease certainly has no holder. */
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
