import type { Policies } from '../../control-plane/spec/fields/policies-spec.ts'
import { recordAt, recordsAt, textAt, textsAt } from '../../shared/json-fields.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { isInRanges, rangeOf } from '../../shared/network/ip-range.ts'
import { leave } from './object-policies.ts'

/** The endpoint slice that the host may have, and why it lacks endpoints of the virtual one. */
export interface OwnEndpoints {
  slice: KubeObject
  refusals: string[]
}

/**
 * The endpoints of a slice whose addresses are those of the plane's pods, or in a range that the plane's owner allows. With any
 * other address a Service of the plane could lead to pods and nodes of others (CVE-2021-25740).
 *
 * @param hostPods those of the plane
 */
export function ownEndpoints(
  slice: KubeObject,
  { hostPods, policies }: { policies: Policies | undefined; hostPods: Iterable<KubeObject> },
): OwnEndpoints {
  if (policies === undefined) {
    return { slice, refusals: [] }
  }
  const own = new Set([...hostPods].filter(hasOwnAddresses).flatMap(addressesOf))
  const isAllowed = (address: string) => own.has(address) || isInRanges(address, policies.endpoints)
  const endpoints = recordsAt(slice, 'endpoints')
  const foreign = endpoints
    .flatMap((endpoint) => textsAt(endpoint, 'addresses'))
    .filter((address) => !isAllowed(address))
  const kept = endpoints.filter((endpoint) => textsAt(endpoint, 'addresses').every(isAllowed))
  const [first] = foreign
  return {
    slice: { ...slice, endpoints: kept },
    refusals:
      first === undefined
        ? []
        : [
            `address "${first}" is not that of a pod of this plane, ${leave(`endpoints: [${rangeOf(first)}]`)}`,
          ],
  }
}

/** A pod that has ended still shows its addresses, and another one may have them by now. */
function hasOwnAddresses(pod: KubeObject): boolean {
  const hasEnded = ['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase') ?? '')
  return !hasEnded && recordAt(pod, 'spec')?.['hostNetwork'] !== true
}

/** The addresses that a pod shows. */
export function addressesOf(pod: KubeObject): string[] {
  return recordsAt(pod, 'status', 'podIPs').flatMap((one) => textAt(one, 'ip') ?? [])
}

/** Whether an endpoint of a slice has one of these addresses. */
export function namesOneOf(slice: KubeObject, addresses: readonly string[]): boolean {
  return recordsAt(slice, 'endpoints').some((endpoint) =>
    textsAt(endpoint, 'addresses').some((address) => addresses.includes(address)),
  )
}
