import { isEndingWithin } from '../../../control-plane/status/certificate-ends.ts'
import { sharedEtcdOf } from '../../../control-plane/store/store.ts'
import { hostedSharedEtcd, SHARED_ETCD_FILES } from '../../../manifests/shared-etcd-files.ts'
import { issueCertificate } from '../../../pki/issue/issue-certificate.ts'
import { LEAF_LIFETIME_MS, RENEW_WITHIN_MS } from '../../../pki/issue/lifetimes.ts'
import type { RenewalOptions } from '../../../pki/plane/certificate-expiry.ts'
import { parseCertificates } from '../../../pki/x509/pem.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlaneFiles } from '../objects/plane-keys.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import { type EtcdOwner, readEtcdOwner } from './etcd-owner.ts'

interface CredentialOptions extends RenewalOptions {
  /** @default the plane has none yet */
  files?: PlaneFiles
  record: Pick<PlaneRecord, 'id' | 'spec'>
  signal: AbortSignal
}

/**
 * The files with which a plane connects to a shared etcd, as far as they differ from those that it has: the certificate that
 * the owner has now, or one that vplane issues, again if it expires soon; nothing for another store.
 * @throws {VplaneError} `FAILED` when the owner's Secret is missing or not complete.
 */
export async function sharedEtcdCredentials(
  api: Pick<HostApi, 'get'>,
  { name, namespace }: PlacedName,
  { files = {}, record, signal, ...renewal }: CredentialOptions,
): Promise<PlaneFiles> {
  const shared = sharedEtcdOf(record.spec)
  if (shared === undefined) {
    return {}
  }
  const owner = await readEtcdOwner(api, { namespace, shared, signal })
  const { authorities, certificate, key } = SHARED_ETCD_FILES
  const user = hostedSharedEtcd({ ...record, name })?.user
  const wanted = {
    [authorities]: owner.certificateAuthority,
    ...(user === undefined
      ? { [certificate]: owner.certificate, [key]: owner.key }
      : issued(user, owner, { files, record, ...renewal })),
  }
  return Object.fromEntries(Object.entries(wanted).filter(([file, text]) => files[file] !== text))
}

function issued(
  user: string,
  { clientAuthority }: EtcdOwner,
  {
    files = {},
    now,
    record: { spec },
    withinMs = RENEW_WITHIN_MS,
  }: Omit<CredentialOptions, 'signal'>,
): PlaneFiles {
  const { certificate, key } = SHARED_ETCD_FILES
  const { [certificate]: current } = files
  if (
    clientAuthority === undefined ||
    (current !== undefined &&
      !isEndingWithin(withinMs, parseCertificates(current, certificate)[0].validToDate, now))
  ) {
    return {}
  }
  const made = issueCertificate(clientAuthority, {
    commonName: user,
    usages: ['clientAuth'],
    lifetimeMs: LEAF_LIFETIME_MS,
    algorithm: spec.pki.algorithm,
    now,
  })
  return { [certificate]: made.certificate, [key]: made.key }
}
