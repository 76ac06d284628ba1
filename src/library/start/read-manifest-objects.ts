import { fileURLToPath } from 'node:url'
import { type KubeObject, isWholeObject } from '../../shared/kube/kube-object.ts'
import { readManifests } from '../../compose/read-manifests.ts'
import { VplaneError } from '../../shared/errors.ts'
import type { Ui } from '../../shared/ui.ts'
import type { Manifests } from '../types/start-options.ts'

/**
 * The objects of manifests, in their order.
 *
 * @throws {VplaneError} `INVALID_SPEC` when something is no object of Kubernetes, with `source` and its number, and
 * what `readManifests` throws.
 */
export async function readManifestObjects(
  manifests: Manifests,
  { source, ui }: { source: string; ui: Ui },
): Promise<KubeObject[]> {
  const objects: KubeObject[] = []
  for (const [index, manifest] of manifests.entries()) {
    if (typeof manifest === 'string') {
      objects.push(...(await readManifests([manifest], ui)))
    } else if (manifest instanceof URL) {
      objects.push(...(await readManifests([fileURLToPath(manifest)], ui)))
    } else {
      objects.push(toKubeObject(manifest, `${source}[${index}]`))
    }
  }
  return objects
}

/** The object as JSON: those of client libraries carry dates and fields that are undefined. */
function toKubeObject(manifest: object, source: string): KubeObject {
  const value: unknown = JSON.parse(JSON.stringify(manifest))
  if (!isWholeObject(value)) {
    throw new VplaneError(
      'INVALID_SPEC',
      `${source} is not a Kubernetes object: it needs apiVersion, kind and metadata`,
    )
  }
  return value
}
