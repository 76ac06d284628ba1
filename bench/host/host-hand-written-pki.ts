import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ADMIN } from '../../src/control-plane/plane/plane.ts'
import { createEtcdPki } from '../../src/pki/plane/etcd-pki.ts'
import { issueCertificate } from '../../src/pki/issue/issue-certificate.ts'
import { createPlanePki } from '../../src/pki/plane/plane-pki.ts'
import { apiServerSans } from '../../src/pki/plane/server-sans.ts'

const DAY_MS = 86_400_000

/** What a client of the hand-written control plane shows and trusts. */
export interface HandWrittenCredential {
  certificateAuthority: string
  certificate: string
  key: string
}

/**
 * Makes the certificates and keys that the hand-written manifests name, below `pki/` in their folder.
 *
 * @param addresses where clients reach the nodes.
 * @returns an administrator's credential.
 */
export async function writeHandWrittenPki(
  folder: string,
  addresses: readonly string[],
): Promise<HandWrittenCredential> {
  const common = { algorithm: 'ecdsa', now: new Date() } as const
  const serverSans = apiServerSans({
    serviceRange: '10.96.0.0/16',
    clusterDomain: 'cluster.local',
    extraSans: ['kube-apiserver', ...addresses],
  })
  const pki = {
    ...createEtcdPki({ ...common, memberSans: ['etcd'] }),
    ...(await createPlanePki({ ...common, serverSans })),
  }
  for (const [name, text] of Object.entries(pki)) {
    const file = join(folder, 'pki', name)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, text, { mode: 0o600 })
  }
  const read = (name: string) => pki[name] ?? ''
  const authority = { certificate: read('ca.crt'), key: read('ca.key') }
  const { certificate, key } = issueCertificate(authority, {
    ...common,
    commonName: ADMIN.user,
    organizations: ADMIN.groups,
    usages: ['clientAuth'],
    lifetimeMs: DAY_MS,
  })
  return { certificateAuthority: authority.certificate, certificate, key }
}
