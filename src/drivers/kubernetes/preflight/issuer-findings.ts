import { lookup } from 'node:dns/promises'
import type { Finding } from '../../../control-plane/status/finding.ts'
import type { PlaneSpec } from '../../../control-plane/spec/spec.ts'
import { hasAddress, namedPeers } from '../../../manifests/network/network-rule.ts'
import { issuerRule, issuersOf } from '../../../manifests/network/owner-rules.ts'
import { rangeOf } from '../../../shared/network/ip-range.ts'
import { within } from '../../../shared/wait.ts'

const LOOKUP_MS = 2000

interface Options {
  spec: Pick<PlaneSpec, 'authentication' | 'host'>
  /** The addresses of a host name. @default those that this machine finds */
  resolve?: (host: string) => Promise<string[]>
}

/**
 * Warns of issuers of tokens that kube-apiserver may not reach by its NetworkPolicy: those at addresses of private networks.
 * The host may find other addresses than this machine, and names without an address are left to it.
 */
export async function issuerFindings({ resolve = addressesOf, spec }: Options): Promise<Finding[]> {
  const { egress } = spec.host?.apiServer ?? {}
  if (egress === undefined) {
    return []
  }
  const allowed = namedPeers(egress)
  const findings = issuersOf(spec).map(async (issuer): Promise<Finding[]> => {
    const peers = [...(issuerRule(issuer).peers ?? []), ...allowed]
    const isReached = (address: string) =>
      peers.some(({ ipBlock }) => ipBlock === undefined || hasAddress(ipBlock, address))
    const addresses = await resolve(new URL(issuer).hostname).catch(() => [])
    const [denied] = addresses.filter((address) => !isReached(address))
    const message = `"${issuer}" is at ${denied}, which kube-apiserver may not reach`
    const hint = denied && `name "${rangeOf(denied)}" in "apiServer.egress"`
    return hint === undefined ? [] : [{ subject: 'issuer', level: 'warning', message, hint }]
  })
  return (await Promise.all(findings)).flat()
}

async function addressesOf(host: string): Promise<string[]> {
  const found = await within(LOOKUP_MS, () => lookup(host, { all: true }))
  return found.map(({ address }) => address)
}
