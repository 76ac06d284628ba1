import type { X509Certificate } from 'node:crypto'
import type { RotationStage } from '../../control-plane/rotation/rotation.ts'
import { SHARED_ETCD_CERTIFICATE } from '../../control-plane/store/shared-etcd-certificate.ts'
import { VplaneError } from '../../shared/errors.ts'
import { certificateFiles } from '../plane/certificate-files.ts'
import type { PkiFiles } from '../plane/certificate-expiry.ts'
import { type Authority, createAuthority } from '../issue/create-authority.ts'
import { algorithmOf, crossSign, reissueCertificate } from '../issue/issue-certificate.ts'
import { LEAF_LIFETIME_MS } from '../issue/lifetimes.ts'
import { parseCertificates } from '../x509/pem.ts'
import { neededFile, without } from './pki-files.ts'

const AUTHORITIES = ['ca', 'signing-ca', 'front-proxy-ca', 'etcd/ca'] as const

/** The files with trusted CAs, and the CAs in them: the first certificate of a CA's own file issues. */
const TRUSTED: Record<string, ReadonlyArray<(typeof AUTHORITIES)[number]>> = {
  'ca.crt': ['ca'],
  'client-ca.crt': ['ca', 'signing-ca'],
  'etcd/ca.crt': ['etcd/ca'],
  'front-proxy-ca.crt': ['front-proxy-ca'],
  'kubelet-ca.crt': ['ca'],
  'syncer-ca.crt': ['ca'],
}

/** The certificate that clients outside of the plane check: vplane cannot update the CA that they trust. */
const SERVER = 'apiserver.crt'

/** The last completed stage of the rotation of the CAs; undefined without a rotation. */
export function authorityStage(files: PkiFiles): 'prepare' | 'switch' | undefined {
  if (files['next/ca.key'] !== undefined) {
    return 'prepare'
  }
  return certificatesIn(files, 'ca.crt').length > 1 ? 'switch' : undefined
}

/**
 * The files of a plane after each stage: first everything also trusts the new CAs, then the new CAs issue all leaf
 * certificates again, and at last only the new CAs are trusted. Until then, clients that only know the old CA trust the
 * API's new certificate, because the old CA has signed the new one. `signing-ca.crt` is not a bundle, because
 * kube-controller-manager accepts only one certificate to sign with.
 *
 * @throws {VplaneError} `FAILED` when keys of the plane are missing.
 */
export const AUTHORITY_STAGES: Record<RotationStage, (files: PkiFiles, now: Date) => PkiFiles> = {
  prepare: (files, now) => {
    const next = Object.assign({}, ...AUTHORITIES.map((name) => successorOf(files, name, now)))
    return trusting({ ...files, ...next }, (trusted, coming) => [...trusted, ...coming])
  },
  switch: (files, now) => {
    const reversed = trusting(files, (trusted, coming) => [
      ...coming,
      ...trusted.filter((one) => !coming.includes(one)),
    ])
    const next = AUTHORITIES.flatMap((name) => [`next/${name}.crt`, `next/${name}.key`])
    return {
      ...without(reversed, next),
      ...Object.fromEntries(AUTHORITIES.map((name) => [`${name}.key`, nextOf(files, name).key])),
      'signing-ca.crt': nextOf(files, 'signing-ca').certificate,
      ...leavesOfNext(files, now),
    }
  },
  complete: (files) => ({
    ...trusting(files, (_, __, issuing) => issuing),
    [SERVER]: String(certificatesIn(files, SERVER)[0]),
  }),
}

/** The successor of a CA, which has another name to distinguish both. */
function successorOf(files: PkiFiles, name: string, now: Date): PkiFiles {
  const [old] = certificatesIn(files, `${name}.crt`)
  const [, base = name, number = '1'] = /^CN=(.*?)(?:-(\d+))?$/m.exec(old.subject) ?? []
  const commonName = `${base}-${Number(number) + 1}`
  const next = createAuthority({ commonName, algorithm: algorithmOf(old), now })
  return certificateFiles(`next/${name}`, next)
}

/** In each file with trusted CAs, replaces the certificates with those that `choose` selects. */
function trusting(
  files: PkiFiles,
  choose: (trusted: string[], coming: string[], issuing: string[]) => string[],
): PkiFiles {
  const changed = Object.entries(TRUSTED).flatMap(([file, names]) => {
    const text = files[file]
    if (text === undefined) {
      return []
    }
    const firstsOf = (folder: string) =>
      names
        .filter((name) => files[`${folder}${name}.crt`] !== undefined)
        .map((name) => String(certificatesIn(files, `${folder}${name}.crt`)[0]))
    const trusted = certificatesIn(files, file).map(String)
    return [[file, choose(trusted, firstsOf('next/'), firstsOf('')).join('')]]
  })
  return { ...files, ...Object.fromEntries(changed) }
}

function leavesOfNext(files: PkiFiles, now: Date): PkiFiles {
  const leaves = Object.keys(files).flatMap((file) => {
    const isOwn = file.endsWith('.crt') && file !== SHARED_ETCD_CERTIFICATE
    const [leaf] = isOwn ? certificatesIn(files, file) : []
    if (leaf?.ca !== false) {
      return []
    }
    const issuer = issuerOf(files, leaf, file)
    const next = nextOf(files, issuer)
    const issued = reissueCertificate(next, leaf, { lifetimeMs: LEAF_LIFETIME_MS, now })
    const chain = file === SERVER ? crossSign(presentOf(files, issuer), next.certificate, now) : ''
    const certificate = issued.certificate + chain
    return [certificateFiles(file.replace(/\.crt$/, ''), { ...issued, certificate })]
  })
  return Object.assign({}, ...leaves)
}

function issuerOf(files: PkiFiles, leaf: X509Certificate, file: string): string {
  const issuer = AUTHORITIES.find((name) => {
    const [authority] = certificatesIn(files, `${name}.crt`)
    return leaf.checkIssued(authority) && leaf.verify(authority.publicKey)
  })
  if (issuer === undefined) {
    throw new VplaneError('FAILED', `no CA of the plane has issued "${file}"`)
  }
  return issuer
}

function presentOf(files: PkiFiles, name: string): Authority {
  return { certificate: neededFile(files, `${name}.crt`), key: neededFile(files, `${name}.key`) }
}

function nextOf(files: PkiFiles, name: string): Authority {
  return presentOf(files, `next/${name}`)
}

function certificatesIn(files: PkiFiles, name: string) {
  return parseCertificates(neededFile(files, name), name)
}
