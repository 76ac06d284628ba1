import type { CredentialSpec } from '../../control-plane/spec/credentials/credentials-spec.ts'
import { isRecord } from '../../shared/json-fields.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { MANAGED_BY, PLACE_LABEL } from '../object-names.ts'
import { checksumOf } from '../pod-files.ts'
import { type CredentialContent, credentialFiles } from './credential-files.ts'

/** The label of every Secret with a credential for a plane, with the plane's name. They lack the label of its objects. */
const CREDENTIAL_OF_LABEL = 'vplane.dev/credential-of'

const ID = 'vplane.dev/plane-id'
const ENTRY = 'vplane.dev/credential'
const SPEC_CHECKSUM = 'vplane.dev/spec-checksum'
const ADDRESS_CHECKSUM = 'vplane.dev/address-checksum'
const DATA_CHECKSUM = 'vplane.dev/data-checksum'
const SIGNED_BY = 'vplane.dev/signed-by'
const SUBJECT_ID = 'vplane.dev/subject-id'
const RENEW_AT = 'vplane.dev/renew-at'
const EXPIRES_AT = 'vplane.dev/expires-at'

/** The label by which Argo CD finds Secrets of clusters (common.LabelKeySecretType). */
const ARGO_CD_LABEL = { 'argocd.argoproj.io/secret-type': 'cluster' }

/** The plane and the entry of its spec that a Secret is for. */
export interface CredentialOwner {
  plane: string
  planeNamespace: string
  planeId: string
  /** The name of the entry. */
  entry: string
}

export interface CredentialNotes {
  planeId: string
  entry: string
  /** Checksum of the entry in the spec. */
  specChecksum: string
  /** Checksum of the server and its CA. */
  addressChecksum: string
  /** The key that signed the credential. */
  signedBy: string
  /** Uid of the ServiceAccount; empty for a user. */
  subjectId: string
  renewAt: Date
  expiresAt: Date
  /** Whether its content is what vplane wrote. */
  isUnchanged: boolean
}

export interface WrittenCredential {
  owner: CredentialOwner
  spec: CredentialSpec
  content: CredentialContent
  notes: Pick<
    CredentialNotes,
    'addressChecksum' | 'signedBy' | 'subjectId' | 'renewAt' | 'expiresAt'
  >
}

/** The namespace of the Secret of an entry. */
export function credentialNamespace(
  { namespace }: Pick<CredentialSpec, 'namespace'>,
  planeNamespace: string,
): string {
  return namespace ?? planeNamespace
}

/** The Secret for an entry of a spec. Its type is that of the Secret that exists, or the default. */
export function credentialSecret({ content, notes, owner, spec }: WrittenCredential): KubeObject {
  const files = credentialFiles(spec.format, content)
  const data = Object.fromEntries(
    Object.entries(files).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  )
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: spec.secret,
      namespace: credentialNamespace(spec, owner.planeNamespace),
      labels: {
        [MANAGED_BY]: 'vplane',
        [CREDENTIAL_OF_LABEL]: owner.plane,
        [PLACE_LABEL]: owner.planeNamespace,
        ...(spec.format === 'argocd' ? ARGO_CD_LABEL : {}),
      },
      annotations: {
        [ID]: owner.planeId,
        [ENTRY]: owner.entry,
        [SPEC_CHECKSUM]: credentialChecksum(spec),
        [ADDRESS_CHECKSUM]: notes.addressChecksum,
        [DATA_CHECKSUM]: checksumOf(data),
        [SIGNED_BY]: notes.signedBy,
        [SUBJECT_ID]: notes.subjectId,
        [RENEW_AT]: notes.renewAt.toISOString(),
        [EXPIRES_AT]: notes.expiresAt.toISOString(),
      },
    },
    data,
  }
}

/** What a Secret says about its credential; undefined when vplane has written none into it. */
export function credentialNotes(secret: KubeObject): CredentialNotes | undefined {
  const { annotations = {} } = secret.metadata
  const planeId = annotations[ID]
  const entry = annotations[ENTRY]
  if (planeId === undefined || entry === undefined) {
    return undefined
  }
  return {
    planeId,
    entry,
    specChecksum: annotations[SPEC_CHECKSUM] ?? '',
    addressChecksum: annotations[ADDRESS_CHECKSUM] ?? '',
    signedBy: annotations[SIGNED_BY] ?? '',
    subjectId: annotations[SUBJECT_ID] ?? '',
    renewAt: dateOf(annotations[RENEW_AT]),
    expiresAt: dateOf(annotations[EXPIRES_AT]),
    isUnchanged: checksumOf(dataOf(secret)) === annotations[DATA_CHECKSUM],
  }
}

/** Changes with every field of an entry. */
export function credentialChecksum(spec: CredentialSpec): string {
  return checksumOf({ spec: JSON.stringify(spec) })
}

/** The signer of the credential of an entry, of those that sign now. */
export function signerOf(
  { serviceAccount }: Pick<CredentialSpec, 'serviceAccount'>,
  signers: { certificates: string; tokens: string },
): string {
  return serviceAccount === undefined ? signers.certificates : signers.tokens
}

/** Whether nobody has put anything into a Secret: its namespace provides it for a credential. */
export function isEmptySecret(secret: KubeObject): boolean {
  return Object.keys(dataOf(secret)).length === 0
}

/** Selects the Secrets with credentials for a plane. */
export function credentialSelector(plane: { name: string; namespace: string }): string {
  return [
    `${MANAGED_BY}=vplane`,
    `${CREDENTIAL_OF_LABEL}=${plane.name}`,
    `${PLACE_LABEL}=${plane.namespace}`,
  ].join(',')
}

/** Whether a Secret has a credential for a plane of this name, in the same namespace or another one. */
export function isCredentialOf({ metadata: { labels = {} } }: KubeObject, plane: string): boolean {
  return labels[MANAGED_BY] === 'vplane' && labels[CREDENTIAL_OF_LABEL] === plane
}

/** A time that is damaged is over. */
function dateOf(text: string | undefined): Date {
  const date = new Date(text ?? '')
  return Number.isNaN(date.getTime()) ? new Date(0) : date
}

function dataOf({ data }: KubeObject): Record<string, string> {
  return isRecord(data)
    ? Object.fromEntries(Object.entries(data).map(([key, value]) => [key, String(value)]))
    : {}
}
