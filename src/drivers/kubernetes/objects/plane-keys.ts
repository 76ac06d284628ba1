import { randomBytes } from 'node:crypto'
import {
  ENCRYPTION_FILE,
  encryptionConfiguration,
  encryptionKey,
} from '../../../control-plane/components/encryption-configuration.ts'
import type { PlaneSpec } from '../../../control-plane/spec/spec.ts'
import { canStore, ownStoreOf } from '../../../control-plane/store/store.ts'
import { isRecord } from '../../../shared/json-fields.ts'
import { fileOfSecretKey } from '../../../manifests/pod-files.ts'
import { endpointNames, storeNames, syncerNames } from '../../../manifests/server-names.ts'
import { createEtcdPki } from '../../../pki/plane/etcd-pki.ts'
import {
  createApiServerFiles,
  createPlanePki,
  createSchedulerPki,
  createSyncerPki,
} from '../../../pki/plane/plane-pki.ts'
import { withPending } from '../../../pki/rotation/pending-rotation.ts'
import { apiServerSans } from '../../../pki/plane/server-sans.ts'
import type { ServiceAccountKeys } from '../../../pki/plane/service-account-keys.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { type PlacedName, planeSelector, RECORD_TYPE } from '../context/object-names.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** Keys and certificates of a plane by file name, see `pki/`. */
export type PlaneFiles = Record<string, string>

export interface KeyOptions {
  spec: PlaneSpec
  now: Date
  addresses: readonly string[]
  /** Created beforehand, because they take the longest. */
  serviceAccountKeys: Promise<ServiceAccountKeys>
  /** Those of the same plane elsewhere (`portableFiles`), which are not created again. */
  existing?: PlaneFiles | undefined
}

/** @throws {VplaneError} `INVALID_SPEC` when a SAN is neither a host name nor an IP address. */
export async function makeKeys(
  place: PlacedName,
  { addresses, existing, now, serviceAccountKeys, spec }: KeyOptions,
): Promise<PlaneFiles> {
  const { algorithm } = spec.pki
  const serverSans = serverSansOf(place, spec, addresses)
  const plane = await createPlanePki({ algorithm, now, serverSans, serviceAccountKeys, existing })
  const authority = { certificate: plane['ca.crt'] ?? '', key: plane['ca.key'] ?? '' }
  return {
    ...(spec.encryption?.secrets === true && {
      [ENCRYPTION_FILE]: encryptionConfiguration([encryptionKey(randomBytes(32), spec.encryption)]),
    }),
    ...ofOwnStore(spec, createEtcdPki({ algorithm, now, memberSans: storeNames(place, spec) })),
    ...plane,
    ...(spec.host?.sync &&
      createSyncerPki({ algorithm, now, authority, serverSans: syncerNames(place) })),
    ...(spec.host?.scheduler && createSchedulerPki({ algorithm, now, authority })),
  }
}

/** Only members of etcd connect to each other, and an etcd that others use too has its own certificate. */
function ofOwnStore(spec: PlaneSpec, files: PlaneFiles): PlaneFiles {
  const others = [
    ...(canStore(spec, 'members') ? [] : ['etcd/peer.']),
    ...(ownStoreOf(spec) === undefined ? ['etcd/server.'] : []),
  ]
  const entries = Object.entries(files).filter(
    ([name]) => !others.some((other) => name.startsWith(other)),
  )
  return Object.fromEntries(entries)
}

/** Returns the keys that components lack which an existing plane did not have before. */
export function makeMissingKeys(
  place: PlacedName,
  files: PlaneFiles,
  { now, spec }: Pick<KeyOptions, 'now' | 'spec'>,
): PlaneFiles {
  const authority = { certificate: files['ca.crt'] ?? '', key: files['ca.key'] ?? '' }
  const issuer = { authority, algorithm: spec.pki.algorithm, now }
  const isMissing = (...names: string[]) => names.some((name) => files[name] === undefined)
  return {
    // The files of each Secret exist together.
    ...(spec.host?.sync &&
      isMissing('syncer.key', 'apiserver-kubelet-client.key') &&
      createSyncerPki({ ...issuer, serverSans: syncerNames(place) })),
    ...(spec.host?.scheduler && isMissing('scheduler.key') && createSchedulerPki(issuer)),
  }
}

/** @throws {VplaneError} `INVALID_SPEC` when a SAN is neither a host name nor an IP address. */
export function makeServerCertificate(
  place: PlacedName,
  files: PlaneFiles,
  { addresses, now, spec }: Omit<KeyOptions, 'serviceAccountKeys' | 'existing'>,
): PlaneFiles {
  const authority = { certificate: files['ca.crt'] ?? '', key: files['ca.key'] ?? '' }
  const issuer = { authority, algorithm: spec.pki.algorithm, now }
  return createApiServerFiles(serverSansOf(place, spec, addresses), issuer, files['apiserver.crt'])
}

/** Returns the SANs of the certificate of a plane's API. */
export function serverSansOf(
  place: PlacedName,
  spec: PlaneSpec,
  addresses: readonly string[],
): string[] {
  return [...new Set([...apiServerSans(spec), ...endpointNames(place, spec, addresses)])]
}

/** Includes pending ones; empty when the plane has no Secrets. */
export async function readKeys(
  api: Pick<HostApi, 'list'>,
  place: PlacedName,
  signal: AbortSignal,
): Promise<PlaneFiles> {
  return keysIn(await readSecrets(api, place, signal))
}

/** Returns the Secrets with the keys and certificates of a plane. */
export async function readSecrets(
  api: Pick<HostApi, 'list'>,
  { name, namespace }: PlacedName,
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const { items } = await api.list(collectionPath('secrets', namespace), {
    labelSelector: planeSelector(name),
    fieldSelector: `type!=${RECORD_TYPE}`,
    signal,
  })
  return items
}

/**
 * A certificate with a key in its own Secret takes precedence: during a rotation it matches that key, and the copy
 * without a key in the Secret of the keeper may not.
 */
export function keysIn(secrets: readonly KubeObject[]): PlaneFiles {
  const files = secrets.map(({ data }) => filesOf(data))
  return withPending(Object.assign({}, ...files, ...files.map(pairsIn)))
}

function pairsIn(files: PlaneFiles): PlaneFiles {
  return Object.fromEntries(
    Object.entries(files).filter(
      ([name]) => /\.(crt|key)$/.test(name) && isPaired(name.replace(/\.\w+$/, ''), files),
    ),
  )
}

function isPaired(name: string, files: PlaneFiles): boolean {
  return files[`${name}.crt`] !== undefined && files[`${name}.key`] !== undefined
}

/** Returns the files in the data of a Secret. */
export function filesOf(data: unknown): PlaneFiles {
  const entries = isRecord(data) ? Object.entries(data) : []
  return Object.fromEntries(
    entries.map(([key, value]) => [
      fileOfSecretKey(key),
      Buffer.from(String(value), 'base64').toString('utf8'),
    ]),
  )
}
