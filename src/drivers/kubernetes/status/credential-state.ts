import type { CredentialState } from '../../../control-plane/driver/plane-credentials.ts'
import type { Plane } from '../../../control-plane/plane/plane.ts'
import type { CredentialSpec } from '../../../control-plane/spec/credentials/credentials-spec.ts'
import { unlessStatus } from '../../../kube/kube-error.ts'
import {
  credentialChecksum,
  type CredentialNotes,
  credentialNamespace,
  credentialNotes,
  signerOf,
} from '../../../manifests/credentials/credential-secret.ts'
import { keeperStatusOf } from '../../../manifests/keeper-status.ts'
import { objectName } from '../../../manifests/object-names.ts'
import { currentSigners } from '../../../pki/rotation/current-signers.ts'
import { omitUndefined } from '../../../shared/omit-undefined.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import { toPlace } from '../context/object-names.ts'
import type { HostApi } from '../host/host-api.ts'
import { readKeys } from '../objects/plane-keys.ts'

/** Returns what the host has of the Secret of an entry, and what its keeper reports about it. */
export async function credentialState(
  api: Pick<HostApi, 'get'>,
  plane: Plane,
  { entry, signal }: { entry: string; signal: AbortSignal },
): Promise<CredentialState> {
  const { name, namespace } = toPlace(plane).place
  const status = { name: objectName(name, 'keeper-status'), namespace }
  const { alarms } = keeperStatusOf(await api.get(objectPath('configmaps', status), { signal }))
  const alarm = alarms.find(
    ({ reason, subject }) => reason === 'CredentialFailed' && subject === entry,
  )
  return omitUndefined({
    isWritten: await isWritten(api, plane, { entry, signal }),
    failure: alarm?.message,
  })
}

/** Undefined when the user may not read the Secret. */
async function isWritten(
  api: Pick<HostApi, 'get'>,
  plane: Plane,
  { entry, signal }: { entry: string; signal: AbortSignal },
): Promise<boolean | undefined> {
  const wanted = plane.spec.credentials?.[entry]
  const answer = wanted && (await readNotes(api, plane, { wanted, signal }))
  return (
    answer &&
    answer.notes?.entry === entry &&
    answer.notes.specChecksum === credentialChecksum(wanted)
  )
}

/** Returns the entries whose Secrets have a credential that another key has signed than one would be now. */
export async function outdatedCredentials(
  api: Pick<HostApi, 'get' | 'list'>,
  plane: Plane,
  signal: AbortSignal,
): Promise<string[]> {
  const files = await readKeys(api, toPlace(plane).place, signal)
  const signers = currentSigners({
    signingAuthority: files['signing-ca.crt'] ?? '',
    publicKeys: files['sa.pub'] ?? '',
  })
  const entries = await Promise.all(
    Object.entries(plane.spec.credentials ?? {}).map(async ([entry, wanted]) => {
      const { notes } = (await readNotes(api, plane, { wanted, signal })) ?? {}
      return notes === undefined || notes.signedBy === signerOf(wanted, signers) ? [] : [entry]
    }),
  )
  return entries.flat()
}

/** What the Secret of an entry says, if it is of this plane; undefined when the user may not read it. */
async function readNotes(
  api: Pick<HostApi, 'get'>,
  { id, namespace = '' }: Plane,
  { signal, wanted }: { wanted: CredentialSpec; signal: AbortSignal },
): Promise<{ notes: CredentialNotes | undefined } | undefined> {
  const place = { name: wanted.secret, namespace: credentialNamespace(wanted, namespace) }
  const reading = api.get(objectPath('secrets', place), { signal })
  const answer = await unlessStatus(
    [403],
    reading.then((secret) => ({ secret })),
  )
  const notes = answer?.secret && credentialNotes(answer.secret)
  return answer && { notes: notes?.planeId === id ? notes : undefined }
}
