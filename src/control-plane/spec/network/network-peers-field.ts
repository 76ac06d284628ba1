import * as z from 'zod'
import { isRange, isWithin } from '../../../shared/network/ip-range.ts'
import { NAMESPACE_PEER, NEVER_PEERS } from './network-peers.ts'

const EXAMPLES = '"10.20.0.0/16", "namespace/databases", "public" or "*"'

const NAMESPACE = new RegExp(`^${NAMESPACE_PEER}[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

/** The schema of whom pods may reach, or be reached by. */
export function networkPeers() {
  const peer = z
    .string()
    .refine(isPeer, `is not a range of addresses, a namespace of the host or a word: ${EXAMPLES}`)
    .refine(
      (text) => !isRange(text) || !isNever(text),
      'is among the addresses that are never allowed: clouds have credentials of nodes there',
    )
  return z.array(peer)
}

/** Whether all addresses of a range are never allowed. */
function isNever(range: string): boolean {
  return NEVER_PEERS.some((never) => isWithin(range, never))
}

/** The schema of the fields of kube-apiserver about what it may reach. */
export const apiServerPeers = {
  egress: networkPeers()
    .optional()
    .describe(
      'What kube-apiserver may reach in addition to the pods of its control plane, DNS servers and the issuers in "authentication": webhooks and aggregated APIs elsewhere. A range of addresses such as "10.20.0.0/16", "namespace/databases" for the pods of a namespace of the host, "public" for all addresses that are not of private networks, or "*". The default is none. Only with the kubernetes driver.',
    ),
}

function isPeer(text: string): boolean {
  return text === '*' || text === 'public' || NAMESPACE.test(text) || isRange(text)
}
