import { certificateFiles } from '../../../src/pki/plane/certificate-files.ts'
import type { Authority } from '../../../src/pki/issue/create-authority.ts'
import { createEtcdPki } from '../../../src/pki/plane/etcd-pki.ts'
import { issueCertificate } from '../../../src/pki/issue/issue-certificate.ts'
import { LEAF_LIFETIME_MS } from '../../../src/pki/issue/lifetimes.ts'
import { createPlanePki } from '../../../src/pki/plane/plane-pki.ts'
import { apiServerSans } from '../../../src/pki/plane/server-sans.ts'
import {
  type AddressPlan,
  CLUSTER_DOMAIN,
  type NodePlan,
  SERVICE_RANGE,
} from '../cluster/state/address-plan.ts'

/** Who a client certificate is for. */
export interface ClientIdentity {
  user: string
  groups?: readonly string[]
}

/** The certificates and keys of a host's control plane by relative file name: those of a plane, and what nodes add. */
export async function createHostPki(plan: AddressPlan, now: Date): Promise<Record<string, string>> {
  const address = plan.nodes[0]?.address ?? ''
  const extraSans = [address]
  const serverSans = apiServerSans({
    serviceRange: SERVICE_RANGE,
    clusterDomain: CLUSTER_DOMAIN,
    extraSans,
  })
  const algorithm = 'ecdsa'
  const plane = await createPlanePki({ algorithm, now, serverSans })
  const authority = authorityOf(plane)
  const client = (name: string, identity: ClientIdentity) =>
    certificateFiles(name, issueClient(authority, identity, now))
  return {
    ...plane,
    ...createEtcdPki({ algorithm, now, memberSans: [address] }),
    ...client('admin', { user: 'lab-admin', groups: ['system:masters'] }),
    ...client('apiserver-kubelet-client', {
      user: 'kube-apiserver-kubelet-client',
      groups: ['system:masters'],
    }),
    ...client('kube-proxy', { user: 'system:kube-proxy' }),
    ...client('scheduler', { user: 'system:kube-scheduler' }),
  }
}

/** The certificates and keys of a node's kubelet by file name. */
export function createNodePki(
  authority: Authority,
  { address, name }: NodePlan,
  now: Date,
): Record<string, string> {
  const identity = { user: `system:node:${name}`, groups: ['system:nodes'] }
  const server = issueCertificate(authority, {
    commonName: name,
    usages: ['serverAuth'],
    sans: [name, address],
    lifetimeMs: LEAF_LIFETIME_MS,
    algorithm: 'ecdsa',
    now,
  })
  return {
    ...certificateFiles('kubelet', issueClient(authority, identity, now)),
    ...certificateFiles('kubelet-server', server),
  }
}

/** A client certificate for a user of the host cluster. */
export function issueClient(
  authority: Authority,
  { groups = [], user }: ClientIdentity,
  now: Date,
): { certificate: string; key: string } {
  return issueCertificate(authority, {
    commonName: user,
    organizations: groups,
    usages: ['clientAuth'],
    lifetimeMs: LEAF_LIFETIME_MS,
    algorithm: 'ecdsa',
    now,
  })
}

/** The CA of the host's own certificates. */
export function authorityOf(files: Readonly<Record<string, string>>): Authority {
  return { certificate: files['ca.crt'] ?? '', key: files['ca.key'] ?? '' }
}
