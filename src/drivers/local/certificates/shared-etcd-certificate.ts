import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isEndingWithin } from '../../../control-plane/status/certificate-ends.ts'
import type { SharedEtcd } from '../../../etcd/shared/shared-etcd.ts'
import { issueCertificate, reissueCertificate } from '../../../pki/issue/issue-certificate.ts'
import type { Authority } from '../../../pki/issue/create-authority.ts'
import { LEAF_LIFETIME_MS, RENEW_WITHIN_MS } from '../../../pki/issue/lifetimes.ts'
import type { RenewalOptions } from '../../../pki/plane/certificate-expiry.ts'
import type { KeyAlgorithm } from '../../../pki/x509/sign-certificate.ts'
import { parseCertificates } from '../../../pki/x509/pem.ts'
import { unlessErrorCode } from '../../../shared/errors.ts'
import { makeFolder } from '../../../shared/files/make-folder.ts'
import { readOwnFile, readOwnSecret } from '../../../shared/files/read-own-file.ts'
import { writeFile } from '../../../shared/files/write-file.ts'
import { storedSharedEtcd } from '../components/plane-etcd-access.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'

/** Issues the certificate of the user that vplane has made for a plane, unless it exists. */
export async function ensureSharedEtcdCertificate(
  { root, user }: SharedEtcd,
  { sharedEtcd }: PlaneFolder,
  { algorithm, now }: { algorithm: KeyAlgorithm; now: Date },
): Promise<void> {
  if (root === undefined || user === undefined || (await currentIn(sharedEtcd)) !== undefined) {
    return
  }
  const request = {
    commonName: user,
    usages: ['clientAuth'],
    lifetimeMs: LEAF_LIFETIME_MS,
  } as const
  await write(sharedEtcd, issueCertificate(await authorityOf(root), { ...request, algorithm, now }))
}

/**
 * Renews that certificate if it expires soon; kube-apiserver reads it for each connection. Returns whether it did. One that
 * cannot be renewed yet can be used until it expires.
 * @throws {VplaneError} `FAILED` when all are to be renewed, or it has expired, and the owner's CA cannot be used.
 */
export async function renewSharedEtcdCertificate(
  folder: PlaneFolder,
  { now, withinMs = RENEW_WITHIN_MS }: RenewalOptions,
): Promise<boolean> {
  const root = storedSharedEtcd(folder)?.root
  const current = root && (await currentIn(folder.sharedEtcd))
  if (root === undefined || current === undefined) {
    return false
  }
  const [leaf] = parseCertificates(current, folder.sharedEtcd.certificate)
  if (!isEndingWithin(withinMs, leaf.validToDate, now)) {
    return false
  }
  try {
    const lifetimeMs = LEAF_LIFETIME_MS
    await write(
      folder.sharedEtcd,
      reissueCertificate(await authorityOf(root), leaf, { lifetimeMs, now }),
    )
    return true
  } catch (error) {
    if (withinMs === Infinity || leaf.validToDate <= now) {
      throw error
    }
    // The status of the plane shows when it expires.
    return false
  }
}

async function authorityOf({
  clientCaFile,
  clientCaKeyFile,
}: NonNullable<SharedEtcd['root']>): Promise<Authority> {
  return {
    certificate: await readOwnFile(clientCaFile, 'the CA of the clients of the shared etcd'),
    key: await readOwnSecret(
      clientCaKeyFile,
      'the key of the CA of the clients of the shared etcd',
    ),
  }
}

function currentIn({ certificate }: PlaneFolder['sharedEtcd']): Promise<string | undefined> {
  return unlessErrorCode(['ENOENT'], readFile(certificate, 'utf8'))
}

/** The certificate last: without it, both are written again. */
async function write(
  files: PlaneFolder['sharedEtcd'],
  { certificate, key }: { certificate: string; key: string },
): Promise<void> {
  makeFolder(dirname(files.key))
  await writeFile(files.key, key)
  await writeFile(files.certificate, certificate)
}
