import type { Manifest } from '../../../manifests/manifest.ts'
import { objectName } from '../../../manifests/object-names.ts'
import { secretKeyOf } from '../../../manifests/pod-files.ts'
import { applyObjects } from '../host/apply-objects.ts'
import { filesOf, type PlaneFiles } from '../objects/plane-keys.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

export interface ReplaceOptions {
  place: PlacedName
  /** All keys and certificates of the plane, as they are to be. */
  files: PlaneFiles
  signal: AbortSignal
}

/**
 * Gives the files that Secrets of a plane hold other contents, and changes nothing else: its pods read them again by
 * themselves. The Secret of the keeper, which sees there what is due, comes last: what was cut off stays due.
 *
 * @throws {VplaneError} as `applyObjects` does.
 */
export async function replaceFiles(
  api: Pick<HostApi, 'apply'>,
  secrets: readonly KubeObject[],
  { files, place, signal }: ReplaceOptions,
): Promise<void> {
  const changed = secrets
    .filter(({ data }) => isOtherwise(filesOf(data), files))
    .map((secret) => withFiles(secret, place, files))
  const [ofKeeper = [], others = []] = [true, false].map((isKeeper) =>
    changed.filter(
      ({ metadata }) => (metadata.name === objectName(place.name, 'keeper')) === isKeeper,
    ),
  )
  await applyObjects(api, others, signal)
  await applyObjects(api, ofKeeper, signal)
}

/** Tells whether Secrets hold something else than the files of their plane. */
function isOtherwise(held: PlaneFiles, files: PlaneFiles): boolean {
  return Object.entries(held).some(([name, text]) => (files[name] ?? text) !== text)
}

/** What we say of the Secret, with other contents: what is left out would go. */
function withFiles(
  { apiVersion, data, kind, metadata, type }: KubeObject,
  { namespace }: PlacedName,
  files: PlaneFiles,
): Manifest {
  const { annotations, labels = {}, name = '' } = metadata
  const held = filesOf(data)
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, labels, ...(annotations === undefined ? {} : { annotations }) },
    ...(type === undefined ? {} : { type }),
    data: {
      ...Object(data),
      ...Object.fromEntries(
        Object.entries(held).flatMap(([file, text]) => {
          const { [file]: wanted = text } = files
          return wanted === text
            ? []
            : [[secretKeyOf(file), Buffer.from(wanted).toString('base64')]]
        }),
      ),
    },
  }
}
