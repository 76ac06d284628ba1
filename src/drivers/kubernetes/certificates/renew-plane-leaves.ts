import type { Operation } from '../../../control-plane/driver/operation.ts'
import { componentsOf } from '../../../control-plane/plane/plane.ts'
import { refuseDuring } from '../../../control-plane/operations/answer.ts'
import type { PlaneSpec } from '../../../control-plane/spec/spec.ts'
import type { Manifest } from '../../../manifests/manifest.ts'
import { objectName, secretNames } from '../../../manifests/object-names.ts'
import { secretKeyOf } from '../../../manifests/pod-files.ts'
import {
  leavesToRenew,
  type RenewalOptions,
  renewLeaves,
} from '../../../pki/plane/certificate-expiry.ts'
import { unfinishedRotation } from '../../../pki/rotation/pending-rotation.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import { applyObjects } from '../host/apply-objects.ts'
import { certificateFields, wholeKeys } from '../objects/stored-keys.ts'
import { filesOf, keysIn, type PlaneFiles, readSecrets } from '../objects/plane-keys.ts'
import { sharedEtcdCredentials } from '../shared-etcd/shared-etcd-credentials.ts'
import type { KubernetesContext } from '../context/context.ts'
import type { HostApi } from '../host/host-api.ts'
import type { Journal } from '../record/journal.ts'
import type { PlacedName } from '../context/object-names.ts'
import { holdPlane, tryHoldPlane } from '../record/hold-plane.ts'
import { isUnfinished, type PlaneRecord } from '../record/plane-record.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/**
 * Renews all leaf certificates of a plane, and returns their names. Pods reload them within about a minute.
 *
 * @throws {VplaneError} `FAILED` when its keys are lost, it is half created or a rotation was interrupted.
 */
export async function renewPlaneLeaves(
  { host, now }: Pick<KubernetesContext, 'host' | 'now'>,
  { id, place }: { id: string; place: PlacedName },
  operation: Operation,
): Promise<string[]> {
  const { signal, ui } = operation
  const { api } = await host()
  const options = { place, id, operation: 'rotate', now } as const
  await using held = await holdPlane({ api }, options, operation)
  const { journal } = held
  ui.step('Issuing certificates')
  const due = { now: now(), withinMs: Infinity }
  const secrets = await readSecrets(api, place, signal)
  refuseDuring('rotate', { ...place, driver: 'kubernetes' }, unfinishedRotation(keysIn(secrets)))
  const shared = { files: keysIn(secrets), record: journal.record, signal, ...due }
  const changed = await sharedEtcdCredentials(api, place, shared)
  return await renewHeld(api, journal, { place, secrets, due, changed, signal })
}

/**
 * Renews the leaf certificates of a plane in their last 90 days, and continues an interrupted renewal.
 *
 * @returns their names; undefined while another vplane works on the plane, or another operation is not finished.
 * @throws {VplaneError} `FAILED` when its keys are lost, `CONTROL_PLANE_NOT_FOUND` when the plane does not exist.
 */
export async function renewDueLeaves(
  api: HostApi,
  { id, now, place }: { id: string; place: PlacedName; now: () => Date },
  signal: AbortSignal,
): Promise<string[] | undefined> {
  const options = { place, id, operation: 'rotate', now } as const
  await using held = await tryHoldPlane({ api }, options, signal)
  if (held === undefined || !isFree(held.journal.record)) {
    return undefined
  }
  const secrets = await namedSecrets(api, place, { spec: held.journal.record.spec, signal })
  return unfinishedRotation(keysIn(secrets)).length === 0
    ? await renewHeld(api, held.journal, { place, secrets, due: { now: now() }, signal })
    : undefined
}

/** Whether nothing is unfinished but a renewal or a rotation; of a rotation, the keys tell. */
function isFree({ journal, ...record }: PlaneRecord): boolean {
  const others = journal?.operation === 'rotate' ? record : { ...record, journal }
  return !isUnfinished(others)
}

/** Reads each Secret by its name: RBAC has no rights by selector, and a keeper must not read other Secrets. */
async function namedSecrets(
  api: Pick<HostApi, 'get'>,
  { name, namespace }: PlacedName,
  { signal, spec }: { spec: PlaneSpec; signal: AbortSignal },
): Promise<KubeObject[]> {
  const secrets = await Promise.all(
    secretNames(name, componentsOf(spec)).map((secret) =>
      api.get(objectPath('secrets', { name: secret, namespace }), { signal }),
    ),
  )
  return secrets.filter((secret) => secret !== undefined)
}

interface RenewOptions {
  place: PlacedName
  secrets: readonly KubeObject[]
  due: RenewalOptions
  /** What others have issued. @default nothing */
  changed?: PlaneFiles
  signal: AbortSignal
}

/** Records the renewal last: until then the certificates show what is due. */
async function renewHeld(
  api: Pick<HostApi, 'apply'>,
  journal: Journal,
  { changed = {}, due, place, secrets, signal }: RenewOptions,
): Promise<string[]> {
  const keys = wholeKeys(keysIn(secrets), place)
  const names = [
    ...leavesToRenew(keys, due),
    ...Object.keys(changed).filter((name) => name.endsWith('.crt')),
  ]
  const files = { ...keys, ...renewLeaves(keys, due), ...changed }
  await journal.step('replacing certificates')
  await replaceFiles(api, secrets, { place, files, signal })
  await journal.finish(certificateFields(files))
  return names.map((name) => name.replace(/\.crt$/, '')).toSorted()
}

/**
 * Replaces files in the Secrets of a plane. That of the keeper is last, because the keeper reads in it
 * what is due: an interrupted renewal remains due.
 */
export async function replaceFiles(
  api: Pick<HostApi, 'apply'>,
  secrets: readonly KubeObject[],
  { files, place, signal }: { files: PlaneFiles; place: PlacedName; signal: AbortSignal },
): Promise<void> {
  const changed = secrets
    .filter(({ data }) => isOutdated(filesOf(data), files))
    .map((secret) => withFiles(secret, place, files))
  const keeper = objectName(place.name, 'keeper')
  const isOfKeeper = ({ metadata }: Manifest) => metadata.name === keeper
  const others = changed.filter((secret) => !isOfKeeper(secret))
  await applyObjects(api, others, signal)
  await applyObjects(api, changed.filter(isOfKeeper), signal)
}

function isOutdated(stored: PlaneFiles, files: PlaneFiles): boolean {
  return Object.entries(stored).some(([name, text]) => (files[name] ?? text) !== text)
}

/** Keeps the other fields, because an apply removes fields that it omits. */
function withFiles(
  { apiVersion, data, kind, metadata, type }: KubeObject,
  { namespace }: PlacedName,
  files: PlaneFiles,
): Manifest {
  const { annotations, labels = {}, name = '' } = metadata
  const changed = Object.entries(filesOf(data)).flatMap(([file, text]) => {
    const { [file]: wanted = text } = files
    return wanted === text ? [] : [[secretKeyOf(file), Buffer.from(wanted).toString('base64')]]
  })
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, labels, ...(annotations === undefined ? {} : { annotations }) },
    ...(type === undefined ? {} : { type }),
    data: { ...Object(data), ...Object.fromEntries(changed) },
  }
}
